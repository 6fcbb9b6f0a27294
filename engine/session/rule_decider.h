// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/approval/grant_book.h"
#include "engine/base/clock.h"
#include "engine/egress/destination.h"
#include "engine/policy/rule_book.h"

namespace revet::session {

/// Where the box may go, as the gateway asks for it: the session's rules, and the answers
/// that hold. Thread-safe.
class RuleDecider final : public egress::Decider
{
public:
    /// What is borrowed outlives this.
    RuleDecider(policy::RuleBook& rules, approval::GrantBook& grants, const Clock& clock)
        : m_rules(rules)
        , m_grants(grants)
        , m_clock(clock)
    {
    }
    [[nodiscard]] egress::Decision decide(const egress::Destination& destination) const override;
    /// The same, and counts as no use of any rule; who has a grant of its own may still go there.
    [[nodiscard]] egress::Decision foresee(const egress::Destination& destination,
                                           const approval::GrantBook::Claimant& claimant) const;
    [[nodiscard]] bool mayLookUp(const policy::HostName& name) const override;

private:
    policy::RuleBook& m_rules;
    approval::GrantBook& m_grants;
    const Clock& m_clock;
};

} // namespace revet::session
