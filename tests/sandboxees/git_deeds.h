// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace revet::victim {

/// What git on the host would run later: a command that leaves the canary file behind.
struct GitPayload
{
    std::string canary; ///< absolute path of the file that must never appear
    [[nodiscard]] std::string script() const { return "#!/bin/sh\ntouch '" + canary + "'\n"; }
    [[nodiscard]] std::string command() const { return "touch '" + canary + "' #"; }
    /// A section that has git run the command at its next status.
    [[nodiscard]] std::string config() const { return "[core]\n\tfsmonitor = \"" + command() + "\"\n"; }
};

/// One way of getting code run by git on the host. Works in the current directory, the top of a repository;
/// answers 0 or the errno of the step that was refused.
struct GitDeed
{
    std::string_view name;
    int (*plant)(const GitPayload& payload);
};

[[nodiscard]] std::span<const GitDeed> hookDeeds();
[[nodiscard]] std::span<const GitDeed> configDeeds();
[[nodiscard]] std::span<const GitDeed> repositoryDeeds();

// Steps that the deeds share; each answers 0 or an errno.
[[nodiscard]] int makeDirectories(const std::string& path);
[[nodiscard]] int move(const std::string& from, const std::string& to);
[[nodiscard]] int writeNew(const std::string& path, std::string_view text); ///< replaces what was there
/// A repository of the smallest shape that git accepts, in `directory`, without a config or hooks.
[[nodiscard]] int makeBareShape(const std::string& directory);

} // namespace revet::victim
