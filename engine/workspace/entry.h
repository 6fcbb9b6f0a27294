// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <cstdint>
#include <string>

#include <sys/stat.h>

namespace revet::workspace {

enum class EntryType : std::uint8_t { Absent, File, Directory, Link, Fifo, Socket, Device };

/// What lies at a path of a tree.
struct Entry
{
    EntryType type = EntryType::Absent;
    mode_t mode = 0; ///< permission bits with setuid, setgid and sticky
    std::uint64_t size = 0; ///< of files, in bytes
    std::int64_t changed = 0; ///< mtime, nanoseconds since 1970
    std::int64_t statusChanged = 0; ///< ctime, nanoseconds since 1970
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint32_t links = 0; ///< names of the file
    std::string target; ///< of a symbolic link
    std::string staged; ///< of git's index, where it was left by us: stagedAt(); else empty

    [[nodiscard]] bool exists() const { return type != EntryType::Absent; }
    /// Whether nobody has written to it since `other` was looked at: the same object with the same times.
    [[nodiscard]] bool isUntouchedSince(const Entry& other) const;
};

/// All but the target of a link.
[[nodiscard]] Entry entryOf(const struct stat& info);
/// Looks at `path` below the directory `root` without following a link anywhere; Absent where there is
/// nothing. Paths of a box are hostile: one that leads out, or through a link, fails as Refused.
[[nodiscard]] Result<Entry> lookAt(int root, const std::string& path);
/// The same of an open file or directory (O_PATH will do).
[[nodiscard]] Result<Entry> lookAt(const UniqueFd& object);

/// Opens `path` below `root` for reading, never following a link nor waiting (a fifo); regular files only.
[[nodiscard]] Result<UniqueFd> openFile(int root, const std::string& path);
/// Opens (O_PATH) the directory that holds the last component of `path`, and gives that component's name.
struct Parent
{
    UniqueFd directory;
    std::string name;
};
[[nodiscard]] Result<Parent> openParent(int root, const std::string& path);

/// Opens the directory `path` below `root` ("" is the root itself) for reading its entries. NotFound where
/// there is no directory.
[[nodiscard]] Result<UniqueFd> openDirectory(int root, const std::string& path);

} // namespace revet::workspace
