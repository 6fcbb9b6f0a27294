// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/policy/network_rules.h"

#include <mutex>
#include <optional>
#include <vector>

namespace revet::policy {

/// The rules of a session that runs: what changes in them is in force for the next connection, and a rule
/// that has come to its end for none. Knows how often each was used, and when last. Thread-safe.
class RuleBook
{
public:
    /// `clock` outlives this.
    RuleBook(NetworkRules rules, const Clock& clock);

    /// Counts as a use of the rule that decides.
    [[nodiscard]] NetworkRules::Judgement judge(const HostName& host, std::uint16_t port);
    [[nodiscard]] NetworkRules::Judgement judge(const IpAddress& address, std::uint16_t port);
    /// The same, and is no use.
    template<typename Target>
    [[nodiscard]] NetworkRules::Judgement foresee(const Target& target, std::uint16_t port)
    {
        const std::lock_guard lock(m_mutex);
        endWhatIsOver(m_clock.now());
        return m_rules.judge(target, port);
    }
    [[nodiscard]] bool mayReach(const HostName& host);

    /// Fails as NetworkRules::compile() does, and then all stays as it was.
    [[nodiscard]] Result<void> add(const NetworkRule& rule);
    /// NotFound.
    [[nodiscard]] Result<void> remove(const NetworkRule& rule);

    struct Use
    {
        NetworkRule rule;
        std::uint64_t hits = 0;
        WallTime last{}; ///< where there are hits
    };
    /// Of the rules in force and of those that were.
    [[nodiscard]] std::vector<Use> uses() const;

private:
    template<typename Target>
    [[nodiscard]] NetworkRules::Judgement judgeBy(const Target& target, std::uint16_t port);
    void endWhatIsOver(WallTime now);
    void adopt(NetworkRules rules);

    const Clock& m_clock;
    mutable std::mutex m_mutex;
    NetworkRules m_rules;
    std::optional<WallTime> m_nextEnd;
    std::vector<Use> m_uses;
    std::vector<std::size_t> m_useOf; ///< by the rule's place in m_rules: its place in m_uses
};

} // namespace revet::policy
