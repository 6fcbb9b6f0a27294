// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/approval/grant_book.h"
#include "engine/approval/inbox.h"
#include "engine/egress/egress.h"
#include "engine/ipc/box_protocol.h"
#include "engine/journal/answers.h"
#include "engine/session/notifications.h"
#include "engine/session/recorder.h"
#include "engine/session/rule_decider.h"
#include "engine/supervisor/crossings.h"

#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace revet::session {

/// Where what the box may not do becomes a question, and where the answer comes back: it remembers, records
/// and lets go on. The gateway's thread asks, and the supervisor's do; all else is the main thread's.
class AskDesk final : public egress::Asker, public supervisor::Crossings
{
public:
    /// What is borrowed outlives this.
    struct Parts
    {
        const Clock& clock;
        Recorder& recorder;
        approval::GrantBook& grants;
        journal::Answers answers; ///< of the main thread
        bool hasRules = false; ///< the box may reach something without being asked about
        /// Who connects a socket; called on the gateway's thread.
        std::function<ProcessNumber(std::uint64_t socket)> ownerOf;
        /// Lets connections go on; called on the main thread.
        std::function<void(std::vector<egress::ConnectionAnswer>)> settle;
        /// Tells the person a line: that something is asked.
        std::function<void(std::string)> say;
        Notifications& desktop; ///< shows what is asked as long as it is open
    };
    [[nodiscard]] static Result<std::unique_ptr<AskDesk>> create(approval::Inbox::Setting setting,
                                                                 Parts parts);

    [[nodiscard]] egress::Asker::Reply ask(std::uint64_t connection, std::uint64_t socket,
                                           const egress::Destination& destination) override;
    void left(std::uint64_t connection) override;

    [[nodiscard]] bool permits(const supervisor::Caller& caller,
                               const supervisor::Crossing& crossing) override;
    [[nodiscard]] supervisor::Crossings::Reply ask(const supervisor::Caller& caller,
                                                   const supervisor::Crossing& crossing) override;
    void over(std::uint64_t call) override;
    /// A process has not been let see this path of the host's. Nobody waits for an answer, which is for its
    /// next try.
    void offer(ProcessNumber process, const std::string& path, ProcessBook::Story story,
               const std::string& claim = {});
    struct Claimed
    {
        ipc::AccessState state = ipc::AccessState::Refused;
        AskId ask = {}; ///< that is open
    };
    /// A process says that it wants to connect there. As if it had tried, but nobody waits for an answer.
    [[nodiscard]] Claimed claim(ProcessNumber process, const egress::Destination& destination,
                                const RuleDecider& decider, const std::string& reason);
    /// The person lets what destroys go on. Any thread.
    [[nodiscard]] bool isBrakeReleased();

    /// Readable when turn() has something to do.
    [[nodiscard]] int fd() const { return m_news.get(); }
    /// Keeps and tells what is new, and denies what nobody answered in time.
    void turn();
    [[nodiscard]] std::optional<SteadyTime> nextDeadline();
    [[nodiscard]] bool isDue();
    [[nodiscard]] std::uint32_t openCount();
    /// Of the main thread.
    [[nodiscard]] std::uint32_t missedCount() const { return m_missed; }

    struct Answer
    {
        AskId id;
        approval::Inbox::Answer what;
        std::optional<WallTime> until; ///< of Project
    };
    /// The first valid one wins. An ask that was missed can be answered, too: for the next try. The grant
    /// that it leaves, or 0.
    [[nodiscard]] Result<std::int64_t> answer(const Answer& answer);
    /// A yes to it could not be kept: it may be answered again.
    void reopen(const AskId& id);
    /// Others have changed the grants, to these.
    [[nodiscard]] Result<std::vector<Grant>> reloadGrants();
    /// The session ends: nothing waits any more.
    void close();

private:
    /// What was said to a call, by the kind and target of what it wants.
    struct Word
    {
        bool isApproved = false;
        std::string rule;
        std::string why; ///< of the ask; empty: whatever it is
    };
    using CallsWords = std::map<std::pair<AskKind, std::string>, Word>;

    AskDesk(approval::Inbox::Setting setting, Parts parts, UniqueFd news);
    // These under m_mutex.
    [[nodiscard]] approval::Inbox::Raised raise(approval::Inbox::Wish wish, approval::Inbox::Waiter waiter);
    void leave(approval::Inbox::Waiter waiter);
    /// For which nobody waits; the ask that is open then.
    AskId raiseOnly(approval::Inbox::Wish wish);
    [[nodiscard]] approval::Inbox::Wish destinationWish(ProcessNumber process, ProcessBook::Story story,
                                                        const egress::Destination& destination) const;
    [[nodiscard]] const Word* wordTo(approval::Inbox::Waiter waiter,
                                     const supervisor::Crossing& crossing) const;
    /// What was said to a call, or holds for it; none where it is to be asked.
    [[nodiscard]] const Word* judge(approval::Inbox::Waiter waiter,
                                    const approval::GrantBook::Claimant& claimant,
                                    const supervisor::Crossing& crossing);
    /// Keeps what a yes or no leaves behind; 0 where nothing.
    [[nodiscard]] Result<std::int64_t> remember(const Answer& answer, const AskRecord& record,
                                                bool isWaitedFor, ProcessNumber process = {});
    [[nodiscard]] Result<std::int64_t> answerMissed(const Answer& answer);
    void tellNew(ProcessNumber process, AskRecord record);
    void noteChanged(const AskId& id);
    void noteWords(const approval::Inbox::Settled& settled, const std::string& rule);

    /// With a chain as it is shown.
    [[nodiscard]] ProcessBook::Story storyOf(ProcessNumber process);
    void conclude(const approval::Inbox::Settled& settled, const std::string& rule);
    void save(const AskRecord& record);
    void tell(const AskRecord& record, Verdict verdict, const std::string& rule);
    void wake() const;

    approval::Inbox::Setting m_setting;
    Parts m_parts;
    UniqueFd m_news; ///< eventfd
    std::uint32_t m_missed = 0;
    std::mutex m_mutex; ///< guards what follows
    approval::Inbox m_inbox;
    std::uint64_t m_unwaited = 0;
    std::vector<AskRecord> m_new;
    std::set<AskId> m_changed; ///< counts of open ones, saved once a second
    SteadyTime m_savedCounts{};
    bool m_isOver = false; ///< nothing new is asked; the person is to be told
    std::map<std::uint64_t, CallsWords> m_words; ///< by calls that are not over
};

} // namespace revet::session
