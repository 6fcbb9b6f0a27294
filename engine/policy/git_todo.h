// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace revet::policy {

/// The commands that git runs when the rebase with this rebase-merge/git-rebase-todo goes on: its "exec" and
/// "x" lines, in their order, as git's own parser reads them. sequencer/todo and rebase-apply/ hold no
/// commands that git would run.
[[nodiscard]] std::vector<std::string> commandsOfTodo(std::string_view todo);

/// The same for rebase-merge/strategy: a strategy that is not git's own is a program, "git-merge-NAME".
[[nodiscard]] std::vector<std::string> commandsOfStrategy(std::string_view strategy);
/// The same for sequencer/opts, a configuration that names the strategy of an unfinished cherry-pick or
/// revert.
[[nodiscard]] std::vector<std::string> commandsOfOptions(std::string_view options);

} // namespace revet::policy
