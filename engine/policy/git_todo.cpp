// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/git_todo.h"

#include <algorithm>

namespace revet::policy {

namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view withoutBlanks(std::string_view line)
{
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    return line;
}

} // namespace

std::vector<std::string> commandsOfTodo(std::string_view todo)
{
    std::vector<std::string> commands;
    while (!todo.empty()) {
        const std::size_t end = std::min(todo.find('\n'), todo.size());
        const std::string_view line = withoutBlanks(todo.substr(0, end));
        todo.remove_prefix(std::min(end + 1, todo.size()));
        const std::size_t word = std::min(line.find_first_of(kBlanks), line.size());
        if (line.substr(0, word) == "exec" || line.substr(0, word) == "x") {
            commands.emplace_back(withoutBlanks(line.substr(word)));
        }
    }
    return commands;
}

} // namespace revet::policy
