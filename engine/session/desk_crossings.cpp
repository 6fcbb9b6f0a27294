// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// What calls of the box wait for, at the desk.

#include "engine/approval/ask_hash.h"
#include "engine/session/ask_desk.h"

#include <utility>

namespace revet::session {

using approval::Inbox;
using supervisor::Caller;
using supervisor::Crossing;

namespace {

/// Connections are numbered from 1; a call has the number that the kernel gave it.
Inbox::Waiter waiterOf(std::uint64_t call)
{
    return call | (std::uint64_t{1} << 63U);
}

Inbox::Wish wishFor(const Crossing& crossing, ProcessNumber process, ProcessBook::Story story)
{
    Inbox::Wish wish;
    wish.kind = crossing.kind;
    wish.target = crossing.target;
    wish.process = process;
    wish.why = crossing.why;
    wish.chain = std::move(story.chain);
    wish.cwd = std::move(story.cwd);
    wish.lane = Lane::Files;
    wish.from = Reach::Project;
    // What the host runs later is not held by any box.
    wish.to = crossing.kind == AskKind::RunLater ? Reach::Machine : Reach::Project;
    wish.scopes = crossing.kind == AskKind::Brake ? std::vector{GrantScope::Session}
                                                  // the next file of the same burst is not another question
                                                  : std::vector{GrantScope::Once, GrantScope::Session};
    return wish;
}

/// A burst that is asked about is one question, however much has gone meanwhile.
bool isSame(const std::string& why, const Crossing& crossing)
{
    return why.empty() || crossing.kind == AskKind::Brake || why == crossing.why;
}

} // namespace

const AskDesk::Word* AskDesk::wordTo(Inbox::Waiter waiter, const Crossing& crossing) const
{
    const auto words = m_words.find(waiter);
    if (words == m_words.end()) {
        return nullptr;
    }
    const auto word = words->second.find({crossing.kind, crossing.target});
    return word != words->second.end() && isSame(word->second.why, crossing) ? &word->second : nullptr;
}

const AskDesk::Word* AskDesk::judge(Inbox::Waiter waiter, const approval::GrantBook::Claimant& claimant,
                                    const Crossing& crossing)
{
    if (const Word* const word = wordTo(waiter, crossing)) {
        return word;
    }
    const auto granted = m_parts.grants.judge(crossing.kind, crossing.target, &claimant, m_parts.clock.now());
    if (!granted) {
        return nullptr;
    }
    wake(); // what is used up is to be known
    // The same call comes with it again, and a yes for once is for all of the call.
    return &m_words[waiter]
                .insert_or_assign({crossing.kind, crossing.target},
                                  Word{granted->isAllowed, granted->rule, {}})
                .first->second;
}

bool AskDesk::permits(const Caller& caller, const Crossing& crossing)
{
    const ProcessNumber process = m_parts.recorder.sighted(caller.tid);
    const approval::GrantBook::Claimant claimant{process, approval::chainOf(storyOf(process).chain)};
    const std::lock_guard lock(m_mutex);
    const Word* const word = judge(waiterOf(caller.call), claimant, crossing);
    return word != nullptr && word->isApproved;
}

supervisor::Crossings::Reply AskDesk::ask(const Caller& caller, const Crossing& crossing)
{
    const ProcessNumber process = m_parts.recorder.sighted(caller.tid);
    ProcessBook::Story story = storyOf(process);
    const approval::GrantBook::Claimant claimant{process, approval::chainOf(story.chain)};
    const Inbox::Waiter waiter = waiterOf(caller.call);
    const std::lock_guard lock(m_mutex);
    if (const Word* const word = judge(waiter, claimant, crossing)) {
        return {word->isApproved, word->rule}; // a yes of this moment is for the next try
    }
    if (const auto open = m_inbox.find(m_inbox.askOf(waiter)); open && open->ask.kind == crossing.kind
        && open->ask.target == crossing.target && isSame(open->ask.why, crossing)) {
        return {true, {}};
    }
    leave(waiter); // what it waited for is not what it wants now
    Inbox::Raised raised = raise(wishFor(crossing, process, std::move(story)), waiter);
    return {raised.waits, std::move(raised.rule)};
}

void AskDesk::over(std::uint64_t call)
{
    const std::lock_guard lock(m_mutex);
    leave(waiterOf(call));
    m_words.erase(waiterOf(call));
}

void AskDesk::offer(ProcessNumber process, const std::string& path, ProcessBook::Story story,
                    const std::string& claim)
{
    Inbox::Wish wish;
    wish.kind = AskKind::Path;
    wish.target = path;
    wish.why
        = claim.empty() ? "its command names it, and the box does not have it" : "the box does not have it";
    wish.claim = claim;
    wish.process = process;
    wish.chain = approval::bounded(std::move(story.chain));
    wish.cwd = std::move(story.cwd);
    wish.lane = Lane::Files;
    wish.from = Reach::Project;
    wish.to = Reach::Machine;
    wish.scopes = {GrantScope::Session, GrantScope::Project};
    const std::lock_guard lock(m_mutex);
    raiseOnly(std::move(wish));
}

bool AskDesk::isBrakeReleased()
{
    const auto granted
        = m_parts.grants.judge(AskKind::Brake, m_setting.project, nullptr, m_parts.clock.now());
    return granted && granted->isAllowed;
}

} // namespace revet::session
