// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/policy/git_rules.h"
#include "engine/policy/run_later.h"
#include "engine/workspace/change.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace revet::workspace {

/// What the host would run later because of a change.
struct RunLaterFinding
{
    std::optional<policy::RunLaterClass> cls; ///< none: nothing
    std::string entry; ///< "editors: .vscode/**", "git: hooks/pre-commit"
    std::vector<std::string> keys; ///< Checked: what of it that runs code differs; bytes of the box
    /// Whether it is taken over only where a person says so: pinned, or checked with keys that changed.
    [[nodiscard]] bool isHeld() const
    {
        return cls == policy::RunLaterClass::Pinned
            || (cls == policy::RunLaterClass::Checked && !keys.empty());
    }
};

/// A directory that is a repository by its shape and not by its name; "" is the root.
struct ShapedGitdir
{
    std::string path;
    /// The changes make it one, around something that git would obey and that nobody judged as a part of one.
    bool takesOver = false;
};

/// Judges the changes of one source, by the table and by git's own rules.
class RunLaterJudge
{
public:
    /// All but `gitdirs` are borrowed; see gitdirsByShape().
    RunLaterJudge(const policy::RunLaterTable& table, ChangeSource& source, std::vector<ShapedGitdir> gitdirs)
        : m_table(table)
        , m_source(source)
        , m_gitdirs(std::move(gitdirs))
    {
    }
    [[nodiscard]] RunLaterFinding judge(const Change& change) const;
    /// The repository that the path belongs to, or is; none for a file of the work tree.
    [[nodiscard]] std::optional<policy::GitSplit> repositoryOf(std::string_view path) const;

private:
    [[nodiscard]] RunLaterFinding judgePath(const Change& change, const std::string& path) const;
    [[nodiscard]] RunLaterFinding judgeGit(const Change& change, const policy::GitSplit& place) const;

    const policy::RunLaterTable& m_table;
    ChangeSource& m_source;
    std::vector<ShapedGitdir> m_gitdirs;
};

/// Of the directories that the changes are in, those that have the shape of a repository once the changes are
/// there; the innermost first. `base`: the directory that the changes are about.
[[nodiscard]] std::vector<ShapedGitdir> gitdirsByShape(const std::vector<Change>& changes,
                                                       const ChangeSource& source, int base);

} // namespace revet::workspace
