// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/git_todo.h"

#include "engine/policy/git_config.h"
#include "engine/policy/text_lines.h"

#include <algorithm>
#include <array>

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
    forEachLine(todo, [&commands](std::string_view whole) {
        const std::string_view line = withoutBlanks(whole);
        const std::size_t word = std::min(line.find_first_of(kBlanks), line.size());
        if (line.substr(0, word) == "exec" || line.substr(0, word) == "x") {
            commands.emplace_back(withoutBlanks(line.substr(word)));
        }
    });
    return commands;
}

std::vector<std::string> commandsOfStrategy(std::string_view strategy)
{
    constexpr std::array<std::string_view, 7> kGitsOwn
        = {"", "ort", "recursive", "resolve", "octopus", "ours", "subtree"};
    strategy = strategy.substr(0, strategy.find_last_not_of(" \t\r\n") + 1);
    if (std::find(kGitsOwn.begin(), kGitsOwn.end(), strategy) != kGitsOwn.end()) {
        return {};
    }
    return {std::string("git-merge-").append(strategy)};
}

std::vector<std::string> commandsOfOptions(std::string_view options)
{
    const auto entries = parseGitConfig(options);
    if (!entries) {
        return {"options that cannot be read"};
    }
    std::vector<std::string> commands;
    for (const GitConfigEntry& entry : *entries) {
        if (entry.key == "options.strategy") {
            for (std::string& command : commandsOfStrategy(entry.value)) {
                commands.push_back(std::move(command));
            }
        }
    }
    return commands;
}

} // namespace revet::policy
