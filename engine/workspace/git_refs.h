// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace revet::workspace {

/// Object ids in hexadecimal, by the whole name: "refs/heads/main".
using GitRefs = std::map<std::string, std::string>;

/// A packed-refs file. Fails as Malformed on what git would not write.
[[nodiscard]] Result<GitRefs> readPackedRefs(std::string_view text);
/// The id in a file below refs/, or in HEAD; none where it is the name of another ref, or anything else.
[[nodiscard]] std::optional<std::string> readRef(std::string_view text);

/// Whether commits cross by this ref: branches, tags, notes and the stash. What others say is of this
/// repository only (bisect, replace, worktree) or for a remote to say.
[[nodiscard]] bool isCrossingRef(std::string_view name);
/// Whether git takes the name, and a person can read it.
[[nodiscard]] bool isPlainRefName(const std::string& name);
/// Where a ref arrives that cannot take its own place: "refs/heads/revet/k3f9q2/main". `number` above 1 where
/// that is taken as well.
[[nodiscard]] std::string besideName(std::string_view name, std::string_view session, int number);

} // namespace revet::workspace
