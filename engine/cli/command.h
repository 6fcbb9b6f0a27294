// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace revet::cli {

using Arguments = std::vector<std::string>;

/// One command of `revet`. Each builds its own options: a program that starts for every test of a script
/// must not build those of the others.
struct Command
{
    std::string_view name;
    std::string_view summary;
    int (*run)(const Arguments& arguments); ///< without the command's name; returns the exit status
};
[[nodiscard]] std::span<const Command> commands();

int runRun(const Arguments& arguments);
int runPs(const Arguments& arguments);
int runLog(const Arguments& arguments);
int runFiles(const Arguments& arguments);
int runNet(const Arguments& arguments);
int runTree(const Arguments& arguments);
int runDiff(const Arguments& arguments);
int runApply(const Arguments& arguments);
int runDiscard(const Arguments& arguments);
int runUndo(const Arguments& arguments);
int runAsks(const Arguments& arguments);
int runApprove(const Arguments& arguments);
int runDeny(const Arguments& arguments);
int runGrants(const Arguments& arguments);
int runGrant(const Arguments& arguments);
int runRevoke(const Arguments& arguments);
int runStop(const Arguments& arguments);
int runDoctor(const Arguments& arguments);
int runProject(const Arguments& arguments);
int runProfile(const Arguments& arguments);
int runPrune(const Arguments& arguments);
int runExport(const Arguments& arguments);
int runDemo(const Arguments& arguments);

/// Lets CLI11 read the arguments. A status when the command is done with that: help was printed, or the
/// arguments make no sense, which is said with the closest option's name.
[[nodiscard]] std::optional<int> parse(CLI::App& app, const Arguments& arguments);

/// For commands with actions ("project set"): a status when it is none of theirs, which is said with the
/// closest one's name.
[[nodiscard]] std::optional<int> checkAction(std::string_view command, const std::string& action,
                                             const std::vector<std::string>& known);

} // namespace revet::cli
