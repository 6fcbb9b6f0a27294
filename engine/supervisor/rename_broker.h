// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/broker_context.h"

#include <optional>

namespace revet::supervisor {

/// Renames in a brokered root, by rules G1, G2 and G4.
class RenameBroker
{
public:
    explicit RenameBroker(const BrokerContext& context)
        : m_context(context)
    {
    }
    [[nodiscard]] Answer perform(const Call& call, Target& target) const;

private:
    struct Move;
    /// None where the kernel will refuse the call anyway.
    [[nodiscard]] std::optional<Precaution> keep(const Move& move) const;
    [[nodiscard]] Judgement judge(const Move& move) const;
    [[nodiscard]] Judgement judgeOneWay(const Place& from, const struct stat& status, const Place& to) const;
    /// Rule G2: the checked bytes go into an inode that nobody of the box can write to.
    [[nodiscard]] Answer installJudged(const Move& move, const GitFinding& finding, const Deed& deed) const;

    const BrokerContext& m_context;
};

} // namespace revet::supervisor
