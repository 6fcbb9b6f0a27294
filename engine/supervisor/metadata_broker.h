// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/broker_context.h"

namespace revet::supervisor {

/// Length, mode, owner, times, extended attributes and W_OK of what lies in a brokered root.
class MetadataBroker
{
public:
    explicit MetadataBroker(const BrokerContext& context)
        : m_context(context)
    {
    }
    [[nodiscard]] Answer perform(const Call& call, Target& target) const;

private:
    [[nodiscard]] Result<Found> subject(const Call& call, Target& target) const;
    [[nodiscard]] Judgement judge(const Call& call, const Found& found) const;
    [[nodiscard]] Answer truncate(const Call& call, Target& target, const Found& found,
                                  const Deed& deed) const;

    const BrokerContext& m_context;
};

} // namespace revet::supervisor
