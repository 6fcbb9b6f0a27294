// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/policy/run_later.h"
#include "engine/supervisor/git_guard.h"
#include "engine/supervisor/hard_links.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace revet::supervisor {

/// Whether `path` is a hidden file, or holds one. We work on what is below its mask, so the refusal that a
/// mount point means in the box is ours to give.
[[nodiscard]] Judgement maskedBy(const std::vector<std::string>& masks, std::string_view path);

/// Judges every mutation of a brokered root: pinned run-later files and git's rules. One for a box; the
/// caller takes turns, so that what was judged is what is done. What the person has permitted of it is free;
/// what they can permit has a crossing.
class MutationGuard
{
public:
    MutationGuard(const RootResolver& resolver, const policy::RunLaterTable& runLater,
                  const std::vector<std::string>& masked, const CallersQuestion& question)
        : m_resolver(resolver)
        , m_runLater(runLater)
        , m_masked(masked)
        , m_question(question)
        , m_git(resolver)
    {
    }

    /// Content, owner or attributes of what exists at a canonical path.
    [[nodiscard]] Judgement changing(std::string_view path) const { return changing(path, m_git.find(path)); }
    [[nodiscard]] Judgement changing(std::string_view path, const GitFinding& finding) const;
    /// Whether a file gets a name that the host runs later; its content may be known then.
    [[nodiscard]] bool isRunLater(std::string_view path) const;
    /// Mode: a hook may not become executable, while git itself tries the modes of config.
    [[nodiscard]] Judgement changingMode(std::string_view path) const;
    /// A new entry; `text` is what a link points to. `isJudged`: the content of a file whose content matters
    /// is judged by the caller. `shown`: what the person is told of the content.
    enum class ContentJudge : bool { Nobody, Caller };
    [[nodiscard]] Judgement creating(const Place& place, EntryKind kind, std::string_view text,
                                     ContentJudge contentJudge = ContentJudge::Nobody,
                                     std::string_view shown = {}) const;
    [[nodiscard]] Judgement removing(const Place& place, EntryKind kind) const;
    /// A further name for what is at `path`: the file would be written through it (rule G3).
    [[nodiscard]] Judgement linking(std::string_view path) const;
    /// A directory at `from` gets the name `to`.
    [[nodiscard]] Judgement movingDirectory(const Place& from, const Place& to) const;

    /// A directory that the box made: a repository in it may be removed again.
    void madeDirectory(const Place& place);
    /// That directory is gone, and its inode number free for another.
    void removedDirectory(const struct stat& status) { m_born.erase(keyOf(status)); }

    /// Nothing may be done to what undo keeps beside the work.
    [[nodiscard]] Judgement keptByUndo(std::string_view path) const;

    [[nodiscard]] const GitGuard& git() const { return m_git; }

private:
    /// With an unfinished crossing where the person may permit it.
    [[nodiscard]] Judgement pinned(std::string_view path) const;
    [[nodiscard]] Judgement protectedByGit(std::string_view path, const GitFinding& finding) const;
    [[nodiscard]] Judgement unlessPermitted(Judgement refusal, std::string_view how) const;
    [[nodiscard]] Judgement pinned(std::string_view path, EntryKind kind) const;
    [[nodiscard]] Judgement completing(const Place& place) const;
    [[nodiscard]] bool isBorn(const std::string& gitdir) const;

    static constexpr std::size_t kMaximumBorn = 200'000;
    const RootResolver& m_resolver;
    const policy::RunLaterTable& m_runLater;
    const std::vector<std::string>& m_masked;
    const CallersQuestion& m_question;
    GitGuard m_git;
    std::set<InodeKey> m_born;
};

} // namespace revet::supervisor
