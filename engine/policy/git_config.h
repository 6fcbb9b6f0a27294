// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace revet::policy {

/// One assignment of a gitconfig file, in the order of the file.
struct GitConfigEntry
{
    /// Canonical: "remote.origin.url"; section and name in lower case, the subsection as written.
    std::string key;
    std::string value;
    bool hasValue = true; ///< "[core] bare" alone means true

    friend bool operator==(const GitConfigEntry&, const GitConfigEntry&) = default;
};

/// A total parser of its own for a gitconfig file: fails on anything it is not sure of (NUL, continuation
/// lines, more than 64 KiB, unknown escapes), with the line in the error.
[[nodiscard]] Result<std::vector<GitConfigEntry>> parseGitConfig(std::string_view text);

struct GitConfigVerdict
{
    bool isHarmless = false;
    std::string offending; ///< "core.fsmonitor = evil", or why it could not be read; bytes of the box
};
/// Whether replacing `before` (the host's present content, empty when there is none) by `after` adds or
/// changes harmless keys only (rule G2). `resolvesInsideProject` answers for core.worktree's relative path.
/// A key that goes away is harmless, unless that lets an earlier value of it win that was not in force.
[[nodiscard]] GitConfigVerdict
judgeGitConfig(std::string_view before, std::string_view after,
               const std::function<bool(std::string_view)>& resolvesInsideProject);

} // namespace revet::policy
