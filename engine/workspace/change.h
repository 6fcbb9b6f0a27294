// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/entry.h"

#include <string>
#include <vector>

namespace revet::workspace {

/// The root itself, of which only the mode is told.
inline const std::string kRootPath = ".";

/// One path that a session left otherwise than it found it. Paths are relative to the workspace's root, in
/// the box's bytes: hostile.
struct Change
{
    enum class Kind : std::uint8_t { Added, Modified, Deleted, Renamed };
    Kind kind = Kind::Modified;
    std::string path;
    std::string from; ///< Renamed: the path before
    Entry before; ///< Absent where it was added
    Entry after; ///< Absent where it was deleted
    bool isContentChanged = false; ///< bytes of a file, target of a link
    bool isAttributesChanged = false; ///< extended attributes and access lists
    unsigned similarity = 100; ///< Renamed: percent of the content that is on both sides

    [[nodiscard]] bool isAttributesOnly() const
    {
        return kind == Kind::Modified && isAttributesChanged && !isContentChanged
            && before.mode == after.mode;
    }
};

/// What changed, and where both sides of it can be read: a layer over the project, or the project over the
/// pre-images of a direct session.
class ChangeSource
{
public:
    ChangeSource() = default;
    ChangeSource(const ChangeSource&) = delete;
    ChangeSource& operator=(const ChangeSource&) = delete;
    ChangeSource(ChangeSource&&) = delete;
    ChangeSource& operator=(ChangeSource&&) = delete;
    virtual ~ChangeSource() = default;

    /// By path, parents before what is below them. A directory that was replaced by something else, or the
    /// other way round, is told as the deletion of one and the addition of the other; Renamed is only what
    /// was seen to move: see pairRenames().
    [[nodiscard]] virtual Result<std::vector<Change>> changes() = 0;
    /// The file's content on either side; fails where that side is no regular file.
    [[nodiscard]] virtual Result<UniqueFd> openBefore(const Change& change) = 0;
    [[nodiscard]] virtual Result<UniqueFd> openAfter(const Change& change) = 0;
    /// Whether something was at the path that is not in the directory that the changes are about.
    [[nodiscard]] virtual bool hadBefore(const std::string& path) const
    {
        static_cast<void>(path);
        return false;
    }
};

} // namespace revet::workspace
