// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/api/engine.h"
#include "engine/cli/command.h"

#include <filesystem>

namespace revet::cli {

/// `revet run`'s arguments, cut where the command begins.
struct RunArguments
{
    Arguments options;
    Arguments command;
};
/// Options end at "--" or at the first word that is neither an option nor an option's value: everything
/// after it belongs to the command, whatever it looks like.
[[nodiscard]] RunArguments splitRunArguments(const Arguments& arguments);

/// What the options ask for. Relative paths are made absolute below `currentDirectory`. Fails with the status
/// to exit with after it has said why; 0 when help was asked for.
struct ParsedRun
{
    std::optional<int> exitStatus;
    ipc::RunRequest request;
};
[[nodiscard]] ParsedRun parseRun(const Arguments& arguments, const std::filesystem::path& currentDirectory);

} // namespace revet::cli
