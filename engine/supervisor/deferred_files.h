// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/fact_writer.h"
#include "engine/supervisor/git_guard.h"
#include "engine/supervisor/hard_links.h"
#include "engine/supervisor/pre_image_sink.h"

#include <deque>
#include <optional>

namespace revet::supervisor {

/// Small files whose content decides whether the box may write them and which git writes in place: ".git"
/// files, commondir, the first config of a repository. The program gets a descriptor of a file without a
/// name; when the last writer has closed that, its content is judged and put in place as a fresh inode. Until
/// then the name holds what it held, or an empty file. The caller takes turns.
class DeferredFiles
{
public:
    DeferredFiles(const GitGuard& git, const FactWriter& facts, PreImageSink& preImages)
        : m_git(git)
        , m_facts(facts)
        , m_preImages(preImages)
    {
    }

    /// A descriptor to hand out for opening `place` with `flags`. EEXIST, ENOENT, ELOOP as open(2); the
    /// thread's umask has been set.
    [[nodiscard]] Result<UniqueFd> open(Place place, std::uint64_t flags, mode_t mode, int tid);
    /// Judges what has been closed meanwhile.
    void settle();

private:
    struct Pending
    {
        UniqueFd file; ///< without a name
        Place place;
        InodeKey inode; ///< what the name held when it was opened
        std::string initial;
        bool isPlaceholder = false;
        int tid = 0;
    };
    void install(Pending& pending);
    void refuse(const Pending& pending, const std::string& path, const Refusal& refusal);

    static constexpr std::size_t kMaximumPending = 64;
    const GitGuard& m_git;
    const FactWriter& m_facts;
    PreImageSink& m_preImages;
    std::deque<Pending> m_pending;
};

} // namespace revet::supervisor
