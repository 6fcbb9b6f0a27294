// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/policy/rule_book.h"

#include "engine/base/assert.h"
#include "engine/domain/display_escape.h"

#include <algorithm>
#include <utility>

namespace revet::policy {

RuleBook::RuleBook(NetworkRules rules, const Clock& clock)
    : m_clock(clock)
{
    adopt(std::move(rules));
}

void RuleBook::adopt(NetworkRules rules)
{
    m_rules = std::move(rules);
    m_nextEnd.reset();
    m_useOf.clear();
    for (const NetworkRule& rule : m_rules.rules()) {
        if (rule.until && (!m_nextEnd || *rule.until < *m_nextEnd)) {
            m_nextEnd = rule.until;
        }
        auto use = std::ranges::find(m_uses, rule, &Use::rule);
        if (use == m_uses.end()) {
            use = m_uses.insert(use, {rule});
        }
        m_useOf.push_back(static_cast<std::size_t>(use - m_uses.begin()));
    }
}

void RuleBook::endWhatIsOver(WallTime now)
{
    if (!m_nextEnd || now < *m_nextEnd) {
        return;
    }
    std::vector<NetworkRule> left = m_rules.rules();
    std::erase_if(left, [now](const NetworkRule& rule) { return rule.until && *rule.until <= now; });
    auto rules = NetworkRules::compile(left);
    REVET_ASSERT(rules); // fewer rules are in nobody's way
    adopt(std::move(*rules));
}

template<typename Target>
NetworkRules::Judgement RuleBook::judgeBy(const Target& target, std::uint16_t port)
{
    const std::lock_guard lock(m_mutex);
    const WallTime now = m_clock.now();
    endWhatIsOver(now);
    NetworkRules::Judgement judged = m_rules.judge(target, port);
    if (judged.index) {
        Use& use = m_uses.at(m_useOf.at(*judged.index));
        ++use.hits;
        use.last = now;
    }
    return judged;
}

NetworkRules::Judgement RuleBook::judge(const HostName& host, std::uint16_t port)
{
    return judgeBy(host, port);
}

NetworkRules::Judgement RuleBook::judge(const IpAddress& address, std::uint16_t port)
{
    return judgeBy(address, port);
}

bool RuleBook::mayReach(const HostName& host)
{
    const std::lock_guard lock(m_mutex);
    endWhatIsOver(m_clock.now());
    return m_rules.mayReach(host);
}

Result<void> RuleBook::add(const NetworkRule& rule)
{
    const std::lock_guard lock(m_mutex);
    endWhatIsOver(m_clock.now());
    std::vector<NetworkRule> wanted = m_rules.rules();
    wanted.push_back(rule);
    REVET_ASSIGN_OR_RETURN(auto rules, NetworkRules::compile(wanted));
    adopt(std::move(rules));
    return {};
}

Result<void> RuleBook::remove(const NetworkRule& rule)
{
    const std::lock_guard lock(m_mutex);
    std::vector<NetworkRule> wanted = m_rules.rules();
    const auto found = std::ranges::find(wanted, rule);
    if (found == wanted.end()) {
        return fail(ErrorCode::NotFound, "remove the rule " + displayQuoted(rule.text));
    }
    wanted.erase(found);
    REVET_ASSIGN_OR_RETURN(auto rules, NetworkRules::compile(wanted));
    adopt(std::move(rules));
    return {};
}

std::vector<RuleBook::Use> RuleBook::uses() const
{
    const std::lock_guard lock(m_mutex);
    return m_uses;
}

} // namespace revet::policy
