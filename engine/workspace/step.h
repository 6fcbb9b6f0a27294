// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/workspace/entry.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace revet::workspace {

struct AttributeChange
{
    std::string name;
    std::optional<std::string> before; ///< none: was not there
    std::optional<std::string> after;
};

/// One act of a transaction. Each is a single rename, or can be repeated; whether one has been done shows
/// from which objects lie where, so none needs a note of its own.
struct Step
{
    enum class Kind : std::uint8_t {
        Touch, ///< the directory at `path` gets another time from what follows, or `changed` after it
        Fetch, ///< an object of another record comes into the slot
        TakeOut, ///< what lies at `path` goes into the slot
        PutIn, ///< the slot's object goes to `path`, where nothing is
        Swap, ///< the slot's object and what lies at `path` change places: `path` is never without a file
        SetAttributes, ///< mode, time and extended attributes of what lies at `path`
        TakeLock, ///< the slot's empty file goes to `path`, where git looks for it
        Release, ///< and comes back
    };
    static constexpr std::uint8_t kKindCount = 8;

    Kind kind = Kind::Touch;
    std::string path; ///< below the tree's root
    std::string source; ///< Fetch: below the record store, or absolute
    std::uint32_t slot = 0;
    Entry object; ///< what Fetch, PutIn and Swap bring; of SetAttributes what it is done to
    Entry before; ///< what lay at `path`
    Entry after; ///< what lies there when the transaction is over
    bool isWholeTree = false; ///< TakeOut: a directory need not be empty
    bool isMerge = false; ///< as of the operation

    // Of SetAttributes.
    mode_t mode = 0;
    std::int64_t changed = 0; ///< 0: as it is
    std::vector<AttributeChange> attributes;
};

/// Where steps act. Descriptors are borrowed.
struct Scene
{
    int tree = -1;
    int store = -1; ///< directory of all records
    int objects = -1; ///< directory of this record's slots
    bool isStoreFar = false; ///< the store is on another mount than the tree: nothing is fetched, but copied
};

/// Fails as Conflict where `path` does not hold what it should; what has been done by then, reverse() puts
/// right.
[[nodiscard]] Result<void> act(const Scene& scene, const Step& step);
/// Takes a step back, whether it was done or not. False: somebody else changed the path since, so what lies
/// there stays, and what lay there stays in the record.
[[nodiscard]] Result<bool> reverse(const Scene& scene, const Step& step);

/// What lies in a record: `source` as of Fetch.
[[nodiscard]] Result<Parent> openStored(int store, const std::string& source);
[[nodiscard]] Result<Entry> lookAtStored(int store, const std::string& source);
/// Copies it into the slot.
[[nodiscard]] Result<Entry> copyStored(const Scene& scene, const std::string& source, std::uint32_t slot);
[[nodiscard]] std::string slotName(std::uint32_t slot);
/// Whether both are the same file of the file system.
[[nodiscard]] bool isSameObject(const Entry& one, const Entry& other);

} // namespace revet::workspace
