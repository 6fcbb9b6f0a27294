// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/entry.h"

#include <filesystem>
#include <optional>
#include <string>

namespace revet::workspace {

/// Bounds of what is *copied*, and of the list of changes. What can be kept by its name (removed, replaced)
/// is always kept: it takes no space that was free before.
struct PreImageLimits
{
    std::uint64_t budget = std::uint64_t{2} << 30U; ///< bytes of all copies
    std::uint64_t largestCopy = std::uint64_t{256} << 20U; ///< bytes of one, where blocks cannot be shared
    std::uint64_t manifest = std::uint64_t{256} << 20U; ///< bytes of the list
};

/// A name in an open directory of the tree. `directory` must be of the mount that the store was placed on:
/// rename(2) compares mounts.
struct Spot
{
    int directory = -1; ///< O_PATH will do
    const std::string& name;
    const std::string& path; ///< relative to the root
};

/// A directory of numbered contents.
class ObjectStore
{
public:
    [[nodiscard]] static Result<ObjectStore> create(const std::filesystem::path& directory,
                                                    const PreImageLimits& limits);

    /// A number that was never given before.
    [[nodiscard]] std::uint64_t reserve() { return m_next++; }
    /// Moves the entry itself into the store. EXDEV where the store is on another mount.
    [[nodiscard]] Result<void> take(const Spot& spot, std::uint64_t object) const;
    /// Gives the file a further name in the store.
    [[nodiscard]] Result<void> link(const Spot& spot, std::uint64_t object) const;
    /// Copies a regular file with its mode, times and attributes; shares its blocks where the file system
    /// can. LimitExceeded where that is against the limits, whose context says which.
    [[nodiscard]] Result<void> copy(const Spot& spot, const struct stat& status, std::uint64_t object);
    /// The object becomes a file of its own, with the same content, and the entry's file is free to change.
    [[nodiscard]] Result<void> separate(const Spot& spot, const struct stat& status, std::uint64_t object);
    void drop(std::uint64_t object) const;
    /// Opens what is there, to look at it; closed where that is refused.
    [[nodiscard]] static UniqueFd open(const Spot& spot);
    /// Whether somebody may write to a file without opening it anew. Where this cannot be known, nobody does.
    [[nodiscard]] static bool isOpenForWriting(const UniqueFd& file);
    [[nodiscard]] std::uint64_t copiedBytes() const { return m_copied; }

private:
    UniqueFd m_directory;
    PreImageLimits m_limits;
    std::uint64_t m_next = 1;
    std::uint64_t m_copied = 0;
};

} // namespace revet::workspace
