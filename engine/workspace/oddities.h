// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/change.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace revet::workspace {

/// What a person should look at twice in what a change leaves behind.
enum class Oddity : std::uint8_t {
    SetUserId,
    SetGroupId,
    Device,
    Fifo,
    Socket,
    LeavingLink, ///< could lead out of the tree
    ControlCharacter, ///< in the name or a link's target
    InvisibleCharacter, ///< bidi overrides and others without any ink, likewise
    NotUtf8,
    CaseCollision, ///< with another name beside it, or with ".git"
    NewExecutable,
    HardLink, ///< has more names than this one
    TooDeep, ///< a directory whose content is not listed, see isTooDeep()
    Attribute, ///< extended attributes or an access control list
};
[[nodiscard]] std::string_view toString(Oddity oddity);

/// Whether what is below the directory is neither listed nor taken over. Boxes make trees deeper than any
/// path reaches (PATH_MAX), by names relative to a directory; work on a tree grows by the square of its
/// depth.
[[nodiscard]] bool isTooDeep(std::string_view directory);

/// Whether a link at `path` with this target could lead out of the tree. Decided by its text alone, so that
/// a chain of links that all stay inside does, too: "../x" is exact, since the directories above a link are
/// real; ".." after a name goes up from wherever that name leads.
[[nodiscard]] bool couldLeave(std::string_view path, std::string_view target);
/// Those that a change shows by itself.
[[nodiscard]] std::vector<Oddity> odditiesOf(const Change& change);
/// Whether the file on the after side has attributes other than overlayfs' own.
[[nodiscard]] bool hasAttributes(ChangeSource& source, const Change& change);
/// For each change whether its name differs only by case, or by what is not seen, from another one of the
/// same directory. `base`: the directory that the changes are about, for the names that did not change.
[[nodiscard]] Result<std::vector<bool>> caseCollisions(const std::vector<Change>& changes, int base);

} // namespace revet::workspace
