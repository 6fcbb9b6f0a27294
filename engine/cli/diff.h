// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/api/review.h"
#include "engine/cli/command.h"

#include <string>
#include <vector>

namespace revet::cli {

/// `revet diff`, in a process that may read layers.
[[nodiscard]] int showDiff(const Arguments& arguments);

/// The items of one root that were asked for.
struct ShownRoot
{
    std::size_t number = 0;
    const std::string* path = nullptr;
    std::vector<const workspace::ReviewItem*> items;
};

/// As a patch that git reads, with what is held or odd in lines before it that begin with "#".
[[nodiscard]] Result<void> printDiffText(api::Review& review, const std::vector<ShownRoot>& roots);
/// A line for each file, with how many lines changed.
[[nodiscard]] Result<void> printDiffStat(api::Review& review, const std::vector<ShownRoot>& roots);
enum class Hunks : bool { No, Yes };
[[nodiscard]] Result<void> printDiffJson(const SessionId& session, api::Review& review,
                                         const std::vector<ShownRoot>& roots, Hunks hunks);

// What both texts say.

inline constexpr const char* kOtherAttributes = "other extended attributes";
/// "0644"
[[nodiscard]] std::string modeText(const workspace::Entry& entry);

/// "pinned: editors: .vscode/**", "held: javascript: package.json: scripts.test"; empty for nothing.
[[nodiscard]] std::string runLaterText(const workspace::RunLaterFinding& finding);
/// "setuid, new executable"; empty for nothing.
[[nodiscard]] std::string odditiesText(const std::vector<workspace::Oddity>& oddities);
/// Why a file's lines cannot be shown: "not kept: build output is not copied".
[[nodiscard]] std::string unreadText(const Error& error);
/// Git's own files without anything to look at are summed up: "refs/heads/main and 12 others". By repository.
struct RepositorySum
{
    std::string repository; ///< "" is the root
    std::string text;
};
[[nodiscard]] bool isSummedUp(const workspace::ReviewItem& item);
[[nodiscard]] std::vector<RepositorySum> sumUpRepositories(const ShownRoot& root);
/// Whether a directory says something that what is below it does not say.
[[nodiscard]] bool isWorthShowing(const ShownRoot& root, std::size_t item);

} // namespace revet::cli
