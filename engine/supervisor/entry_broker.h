// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/broker_context.h"

namespace revet::supervisor {

/// Makes and removes entries of a brokered root: directories, nodes, links.
class EntryBroker
{
public:
    explicit EntryBroker(const BrokerContext& context)
        : m_context(context)
    {
    }
    [[nodiscard]] Answer makeDirectory(const Call& call, Target& target) const;
    [[nodiscard]] Answer makeNode(const Call& call, Target& target) const;
    [[nodiscard]] Answer makeSymlink(const Call& call, Target& target) const;
    [[nodiscard]] Answer makeLink(const Call& call, Target& target) const;
    [[nodiscard]] Answer remove(const Call& call, Target& target) const;
    [[nodiscard]] Answer removeDirectory(const Call& call, Target& target) const;

private:
    [[nodiscard]] Result<Found> linkSource(const Call& call, Target& target) const;
    [[nodiscard]] Answer made(const Deed& deed, const Place& place, int result) const;
    [[nodiscard]] Answer undone(const Deed& deed, int errnoValue) const;
    [[nodiscard]] Answer keptFromRemoving(const Deed& deed, const Refusal& refusal) const;
    const BrokerContext& m_context;
};

} // namespace revet::supervisor
