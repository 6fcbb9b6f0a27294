// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/event.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace revet::session {

/// What git would run or take its orders from in the repositories of a direct workspace: configuration,
/// hooks, the commands of an unfinished rebase. Taken when a session starts and when its box has ended; the
/// difference is told (rule G6 of git). Looks at the first hundred thousand entries of a project, and
/// follows no link.
class GitState
{
public:
    [[nodiscard]] static GitState of(const std::vector<std::string>& roots);

    /// For the journal: repositories, files and commands that have come, gone or changed since, whoever it
    /// was.
    [[nodiscard]] std::vector<Fact> changesSince(const GitState& earlier) const;
    /// For a person, fit for a screen: what `git rebase --continue` would now run and would not have run
    /// before. Empty when there is nothing.
    [[nodiscard]] std::string warningSince(const GitState& earlier) const;

    /// Gitdirs, and symbolic links that were seen on the way; absolute.
    [[nodiscard]] const std::set<std::string>& repositories() const { return m_repositories; }
    [[nodiscard]] const std::vector<std::string>& links() const { return m_links; }

private:
    class Walk;
    struct Command
    {
        std::string file;
        std::string command;
        [[nodiscard]] auto operator<=>(const Command&) const = default;
    };
    [[nodiscard]] std::vector<Command> commandsSince(const GitState& earlier) const;

    std::set<std::string> m_repositories;
    std::vector<std::string> m_links;
    std::map<std::string, std::string> m_files; ///< by path: type, mode and content
    std::multiset<Command> m_commands;
};

} // namespace revet::session
