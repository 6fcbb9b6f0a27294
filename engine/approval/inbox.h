// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/approval/pace.h"
#include "engine/base/clock.h"
#include "engine/domain/ask.h"
#include "engine/domain/ids.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace revet::approval {

/// Of a chain, what is shown and decided: the nearest processes and no more arguments than can be read. What
/// was left out says so, in the place of an argument or as a process without a number.
[[nodiscard]] std::vector<AskProcess> bounded(std::vector<AskProcess> chain);

/// What a session wants to know of its person: each thing once, whoever of the same programs wants it how
/// often, and never more than a person can read. Nobody waits for what was denied before, and who gets
/// nothing but noes asks no more. One thread.
class Inbox
{
public:
    static constexpr std::size_t kMaximumOpen = 32;
    static constexpr std::size_t kMaximumWaiters = 256;
    static constexpr std::uint32_t kMaximumAsks = 512; ///< of a session; none is forgotten for another
    static constexpr std::uint32_t kMaximumNoes = 20; ///< one after the other
    static constexpr std::chrono::minutes kDefaultDeadline{10};
    /// For how long the same is not asked again after nobody answered; after a no it is not for good.
    static constexpr std::chrono::minutes kQuietTime{10};

    /// What asks have in common.
    struct Setting
    {
        SessionId session;
        std::string project;
        Tier tier = Tier::Sandbox;
        /// None: asks wait as long as the session. 0: nobody can answer, so each is missed at once.
        std::optional<std::chrono::seconds> deadline = kDefaultDeadline;
    };
    /// `clock` outlives this.
    Inbox(Setting setting, const Clock& clock);

    /// What somebody wants.
    struct Wish
    {
        AskKind kind = AskKind::Destination;
        std::string target;
        ProcessNumber process; ///< none where it is not known
        std::vector<AskProcess> chain; ///< bounded()
        std::string cwd;
        std::string why;
        std::string claim = {};
        Lane lane = Lane::Network;
        Reach from = Reach::None;
        Reach to = Reach::Beyond;
        std::vector<GrantScope> scopes;
    };
    /// Names who waits; the caller's own number.
    using Waiter = std::uint64_t;
    struct Raised
    {
        bool waits = false; ///< else it is denied, and why:
        std::string rule;
        std::optional<AskRecord> news = std::nullopt; ///< an ask that was not there before
        bool isFlood = false; ///< the first of those that were not even asked about
    };
    [[nodiscard]] Raised raise(Wish wish, Waiter waiter);
    /// Waits no longer: the program gave up. Its ask stays: a yes is for the next try.
    void leave(Waiter waiter);

    struct Answer
    {
        std::string hash;
        bool isApproved = false;
        GrantScope scope = GrantScope::Once;
    };
    struct Settled
    {
        AskRecord record;
        std::vector<Waiter> waiters;
        /// What those ask now whom a yes to one process was not about.
        std::optional<AskRecord> next = std::nullopt;
    };
    /// The ask that it waits for; none where it does not.
    [[nodiscard]] AskId askOf(Waiter waiter) const;

    /// The first valid answer wins. NotFound, or Conflict where it was settled before, or the hash is of
    /// something else; Refused for a scope that was not offered.
    [[nodiscard]] Result<void> check(const AskId& id, const Answer& answer) const;
    /// Refused, as above.
    [[nodiscard]] static Result<void> checkScope(const Ask& ask, const Answer& answer);
    [[nodiscard]] Result<Settled> answer(const AskId& id, const Answer& answer);
    /// Settles what `isMeant` picks of the open ones, as another answer was about it too.
    template<typename IsMeant>
    [[nodiscard]] std::vector<Settled> settleWhere(const IsMeant& isMeant, bool isApproved, GrantScope scope)
    {
        std::vector<Settled> settled;
        for (const AskId& id : openIds()) {
            if (isMeant(m_open.at(id).record.ask)) {
                settled.push_back(settle(id, isApproved ? AskState::Approved : AskState::Denied, scope));
            }
        }
        return settled;
    }
    /// Denies those of which the time is over.
    [[nodiscard]] std::vector<Settled> expire();
    /// Denies all that is open: the session ends.
    [[nodiscard]] std::vector<Settled> close();
    /// The next time at which expire() has something to do.
    [[nodiscard]] std::optional<SteadyTime> nextDeadline() const;
    /// Whether a no to one is a no to the other.
    [[nodiscard]] static bool isSameMatter(const Ask& one, const Ask& other);
    /// The same may be asked again: a missed or denied one was thought over.
    void forgive(const Ask& ask);
    /// Whether nothing new is asked, for good or until a yes.
    [[nodiscard]] bool asksNoMore() const { return m_lastNumber >= kMaximumAsks || m_noes >= kMaximumNoes; }

    [[nodiscard]] std::size_t openCount() const { return m_open.size(); }
    [[nodiscard]] std::size_t waiterCount() const { return m_waiting.size(); }
    /// As it is now, where it is open.
    [[nodiscard]] std::optional<AskRecord> find(const AskId& id) const;
    /// Whose open ask it is; none where that is not known.
    [[nodiscard]] ProcessNumber processOf(const AskId& id) const { return m_open.at(id).process; }

private:
    /// About what nobody is asked again, whatever program wants it. What shows the content that would be
    /// written is about that content.
    using Matter = std::tuple<AskKind, std::string, std::string>;
    /// By which two wishes are the same.
    using Key = std::pair<Matter, std::string>;
    struct Open
    {
        AskRecord record;
        ProcessNumber process; ///< the one that is shown
        std::set<Waiter> waiters; ///< of it
        std::map<Waiter, Wish> others; ///< of other processes of the same programs
        std::optional<SteadyTime> deadline;

        [[nodiscard]] bool isWaitedFor() const { return !waiters.empty() || !others.empty(); }
    };
    struct Quiet
    {
        std::string rule;
        SteadyTime until;
    };
    template<typename Asked>
    [[nodiscard]] static Matter matterOf(const Asked& asked);
    template<typename Asked>
    [[nodiscard]] static Key keyOf(const Asked& asked);
    [[nodiscard]] std::vector<AskId> openIds() const;
    [[nodiscard]] AskRecord make(Wish wish);
    AskRecord open(Wish wish, Waiter waiter);
    void join(const AskId& id, Wish wish, Waiter waiter);
    Settled settle(const AskId& id, AskState state, std::optional<GrantScope> scope);
    void beQuiet(const Ask& ask, Quiet quiet);
    [[nodiscard]] Raised flood(std::string rule);

    Setting m_setting;
    const Clock& m_clock;
    Pace m_pace;
    std::uint32_t m_lastNumber = 0;
    std::map<AskId, Open> m_open;
    std::map<Key, AskId> m_keys; ///< of the open ones
    std::map<Waiter, AskId> m_waiting;
    std::map<Matter, Quiet> m_quiet;
    std::uint32_t m_noes = 0; ///< since the last yes
    bool m_isFlooded = false;
};

} // namespace revet::approval
