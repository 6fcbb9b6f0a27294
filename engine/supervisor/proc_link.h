// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/target.h"

#include <optional>
#include <string>
#include <string_view>

namespace revet::supervisor {

/// A link of procfs on the way of an absolute path: to what a process of the box has open, works in or runs.
/// Neither the outer root nor the host can follow it, since procfs is the box's own.
struct ProcLink
{
    std::string process; ///< "self", "thread-self", or a number in the box
    std::string name; ///< "cwd", "root", "exe", "fd/3"
    std::string rest; ///< behind it: "", or from a slash on

    [[nodiscard]] bool isOwn() const { return process == "self" || process == "thread-self"; }
    /// Where the path ends with it.
    [[nodiscard]] std::optional<int> ownDescriptor() const;
};

/// The first such link, by the path's text alone; "/dev/fd/3" and "/dev/stdin" are others' names for it.
[[nodiscard]] std::optional<ProcLink> procLinkIn(std::string_view path);

/// The path with the link followed. Fails where it leads to no path, such as to a pipe.
[[nodiscard]] Result<std::string> followed(Target& target, const ProcLink& link);

} // namespace revet::supervisor
