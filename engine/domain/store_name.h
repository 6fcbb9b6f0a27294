// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

namespace revet {

/// What a directory is called that holds what undo needs beside the work that it is of: ".revet-1000", with
/// the user's number. No box sees into one or writes to one, at whatever depth.
[[nodiscard]] std::string ownStoreName();
/// Whether a file of that name is one, whoever's; also in the spellings that folding file systems take for
/// the same.
[[nodiscard]] bool isStoreName(std::string_view name);
/// Whether one is on the path, or is what the path leads to.
[[nodiscard]] bool isInStore(std::string_view path);

} // namespace revet
