// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/rule_decider.h"

namespace revet::session {

egress::Decision RuleDecider::decide(const egress::Destination& destination) const
{
    const auto judge = [&](const auto& host) -> egress::Decision {
        auto judged = m_rules.judge(host, destination.port);
        if (!judged.isPermitted && !judged.mayAsk) {
            return {false, std::move(judged.rule)};
        }
        // A no that is remembered beats a rule.
        if (auto granted = m_grants.judge(host, destination.port, nullptr, m_clock.now())) {
            if (!granted->isAllowed) {
                return {false, "denied: " + granted->rule};
            }
            return {true, judged.isPermitted ? std::move(judged.rule) : std::move(granted->rule)};
        }
        return {judged.isPermitted, std::move(judged.rule), !judged.isPermitted};
    };
    return destination.name ? judge(*destination.name) : judge(destination.address);
}

egress::Decision RuleDecider::foresee(const egress::Destination& destination,
                                      const approval::GrantBook::Claimant& claimant) const
{
    const auto judge = [&](const auto& host) -> egress::Decision {
        auto judged = m_rules.foresee(host, destination.port);
        if (!judged.isPermitted && !judged.mayAsk) {
            return {false, std::move(judged.rule)};
        }
        const auto granted = m_grants.foresee(host, destination.port, &claimant, m_clock.now());
        const bool isPermitted = granted.value_or(judged.isPermitted);
        return {isPermitted, std::move(judged.rule), !isPermitted && !granted};
    };
    return destination.name ? judge(*destination.name) : judge(destination.address);
}

bool RuleDecider::mayLookUp(const policy::HostName& name) const
{
    return m_rules.mayReach(name) || m_grants.mayReach(name, m_clock.now());
}

} // namespace revet::session
