// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string_view>

namespace revet::policy {

/// What git does with the value of a key of its configuration.
enum class GitValue : std::uint8_t {
    Other,
    Path, ///< reads it, or looks for hooks and templates in it
    Include, ///< reads it as configuration, from the place of the file that names it
    Program, ///< runs it as it stands, or by a shell; which of them differs between versions and keys
    Command, ///< has a shell run it
};
/// `key` as parseGitConfig() gives it. Programs that bring keys of their own ("lfs", "difftool") follow git's
/// words, so only the last part of a key counts where that is enough.
[[nodiscard]] GitValue gitValueOf(std::string_view key);

} // namespace revet::policy
