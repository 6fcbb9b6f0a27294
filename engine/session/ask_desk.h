// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/approval/grant_book.h"
#include "engine/approval/inbox.h"
#include "engine/egress/egress.h"
#include "engine/journal/answers.h"
#include "engine/session/connection_book.h"
#include "engine/session/notifications.h"
#include "engine/session/recorder.h"

#include <functional>
#include <mutex>
#include <set>
#include <vector>

namespace revet::session {

/// Where what the box may not do becomes a question, and where the answer comes back: it remembers, records
/// and lets go on. The gateway's thread asks; all else is the main thread's.
class AskDesk final : public egress::Asker
{
public:
    /// What is borrowed outlives this.
    struct Parts
    {
        const Clock& clock;
        Recorder& recorder;
        ConnectionBook& connections;
        approval::GrantBook& grants;
        journal::Answers answers; ///< of the main thread
        bool hasRules = false; ///< the box may reach something without being asked about
        /// Lets connections go on; called on the main thread.
        std::function<void(std::vector<egress::ConnectionAnswer>)> settle;
        /// Tells the person a line: that something is asked.
        std::function<void(std::string)> say;
        Notifications& desktop; ///< shows what is asked as long as it is open
    };
    [[nodiscard]] static Result<std::unique_ptr<AskDesk>> create(approval::Inbox::Setting setting,
                                                                 Parts parts);

    [[nodiscard]] Reply ask(std::uint64_t connection, std::uint64_t socket,
                            const egress::Destination& destination) override;
    void left(std::uint64_t connection) override;

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
    /// The first valid one wins. An ask that was missed can be answered, too: for the next try.
    [[nodiscard]] Result<void> answer(const Answer& answer);
    /// Others have changed the grants.
    [[nodiscard]] Result<void> reloadGrants();
    /// The session ends: nothing waits any more.
    void close();

private:
    AskDesk(approval::Inbox::Setting setting, Parts parts, UniqueFd news);
    // These four under m_mutex.
    /// Keeps what a yes or no leaves behind, if anything.
    [[nodiscard]] Result<void> remember(const Answer& answer, const AskRecord& record, bool isWaitedFor,
                                        ProcessNumber process = {});
    [[nodiscard]] Result<void> answerMissed(const Answer& answer);
    void tellNew(ProcessNumber process, AskRecord record);
    void noteChanged(const AskId& id);
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
    std::vector<AskRecord> m_new;
    std::set<AskId> m_changed; ///< counts of open ones, saved once a second
    SteadyTime m_savedCounts{};
    bool m_isOver = false; ///< nothing new is asked; the person is to be told
};

} // namespace revet::session
