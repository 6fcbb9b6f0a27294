// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/policy/git_rules.h"
#include "engine/supervisor/crossings.h"
#include "engine/supervisor/root_resolver.h"

#include <cerrno>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace revet::supervisor {

/// Why something is not done, in the words of the journal, and what the program gets.
struct Refusal
{
    std::string rule;
    int errnoValue = EACCES;
    std::optional<Crossing> crossing = std::nullopt; ///< what the person can permit of it
};
using Judgement = std::optional<Refusal>; ///< none: free

enum class EntryKind : std::uint8_t { Directory, File, Symlink, Other };
[[nodiscard]] EntryKind kindOf(mode_t mode);

/// What a canonical path is to git's rules.
struct GitFinding
{
    policy::GitEntry entry = policy::GitEntry::Ordinary;
    bool isGitdir = false; ///< the path itself is one by its name: ".git", ".git/modules/x"
    bool isDotGit = false; ///< it is ".git" in a work tree; a file there points to the gitdir
    std::string gitdir; ///< absolute; of the entry, or of the innermost one by name
    std::string inside;

    /// Whether its content is judged once it is complete, instead of being refused.
    [[nodiscard]] bool isJudgedByContent() const
    {
        return isDotGit || entry == policy::GitEntry::Config || entry == policy::GitEntry::CommonDir
            || entry == policy::GitEntry::Alternates;
    }
};

/// Rules G0 to G3: finds gitdirs by name and by shape, and judges what is done to their entries. Works on
/// canonical paths, looks at the file system through the outer root. The caller takes turns and keeps others
/// from changing what was judged.
class GitGuard
{
public:
    explicit GitGuard(const RootResolver& resolver)
        : m_resolver(resolver)
    {
    }

    [[nodiscard]] GitFinding find(std::string_view path) const;
    [[nodiscard]] int passingRecord() const { return m_resolver.passingRecord(); }
    /// Strictly below a gitdir, by name or by shape.
    [[nodiscard]] bool isInGitdir(std::string_view path) const;
    [[nodiscard]] static bool isInGitdirByName(std::string_view path);
    /// The directories at or above `path`, up to its root, that have a gitdir's shape: their lengths.
    [[nodiscard]] std::vector<std::size_t> gitdirsAbove(std::string_view path) const;
    [[nodiscard]] static bool hasShape(int directory);
    /// Whether `directory` gets the shape by an entry `name` and has not had it before.
    [[nodiscard]] static bool wouldComplete(int directory, std::string_view name);

    /// A new entry of this kind at `path`; `text` is what a link points to. Files whose content is judged
    /// are refused here: who can judge content asks judgeContent() instead.
    [[nodiscard]] Judgement creating(std::string_view path, EntryKind kind, std::string_view text) const;
    /// Replacing `before` by `after` in an entry that isJudgedByContent().
    [[nodiscard]] Judgement judgeContent(const GitFinding& finding, std::string_view path,
                                         std::string_view before, std::string_view after) const;
    /// Whether a link at `path` would lead git to another place than the work tree that a configuration, as
    /// this session has let it pass, names: git takes that for its own and overwrites and removes there.
    [[nodiscard]] bool leadsToWorkTree(std::string_view path) const;
    /// A link that stays below its own directory, as git itself makes them in a gitdir.
    [[nodiscard]] static bool staysBelow(std::string_view linkText);

private:
    [[nodiscard]] bool hasShapeAt(std::string_view directory) const;
    /// Whether a .git file in `directory` leads into the modules or worktrees of a repository in the project.
    /// A directory on the way may become a link later; what it can lead to then is guarded by the same names,
    /// or closed to everybody outside the box.
    [[nodiscard]] bool isOfARepository(std::string_view directory, std::string_view target) const;
    [[nodiscard]] bool isSubmodulesWorkTree(const std::string& gitdir, std::string_view value) const;
    const RootResolver& m_resolver;
    mutable std::set<std::string> m_workTrees; ///< what judgeContent() has let pass
};

[[nodiscard]] std::string gitRule(std::string_view what, std::string_view detail);

} // namespace revet::supervisor
