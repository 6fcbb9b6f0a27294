// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/workspace/step.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace revet::workspace {

/// What a transaction was for. The numbers are on disk: append only.
enum class Purpose : std::uint8_t { Apply = 0, Discard = 1, Undo = 2 };
inline constexpr std::uint8_t kPurposeCount = 3;

/// A transaction as its record tells it.
struct Record
{
    std::string name; ///< of its directory
    Purpose purpose = Purpose::Apply;
    std::int64_t time = 0; ///< nanoseconds since 1970
    std::string undoes; ///< Undo: what, by the name of a record; empty for the session's own changes
    std::vector<Step> steps;
    bool isDone = false;
};

/// Total; any other bytes fail as Malformed.
[[nodiscard]] std::string encodeRecord(const Record& record);
[[nodiscard]] Result<Record> decodeRecord(std::string_view bytes);

/// Records of transactions on one tree, each a directory with
///   intents    the steps, before the first is done
///   done       the same once all of them are: the commit point is the rename to this name
///   objects/   slots: first what is to come, in the end what was there
/// The store lies on the tree's mount, for renames, and nobody else writes to it.
class RecordStore
{
public:
    /// Makes the directory (0700) and what is missing above it.
    [[nodiscard]] static Result<RecordStore> open(const std::filesystem::path& directory);

    [[nodiscard]] int directory() const { return m_directory.get(); }
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    /// Waits until nobody else is at it. Held as long as the descriptor lives.
    [[nodiscard]] Result<UniqueFd> lock() const;

    /// Oldest first.
    [[nodiscard]] Result<std::vector<std::string>> names() const;
    /// Those that are done, oldest first.
    [[nodiscard]] Result<std::vector<Record>> records() const;
    [[nodiscard]] Result<Record> read(const std::string& name) const;
    [[nodiscard]] Result<UniqueFd> openObjects(const std::string& name) const;

    // For transactions, under the lock.
    /// Makes an empty record with a name that sorts after all others.
    [[nodiscard]] Result<std::string> add() const;
    [[nodiscard]] Result<void> write(const Record& record) const;
    /// Removes a record whose objects are files, links and empty directories.
    [[nodiscard]] Result<void> remove(const std::string& name) const;

private:
    RecordStore(UniqueFd directory, std::filesystem::path path)
        : m_directory(std::move(directory))
        , m_path(std::move(path))
    {
    }
    [[nodiscard]] Result<UniqueFd> openRecord(const std::string& name) const;

    UniqueFd m_directory;
    std::filesystem::path m_path;
};

} // namespace revet::workspace
