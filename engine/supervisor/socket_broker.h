// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/broker_context.h"

namespace revet::supervisor {

/// Binds the box's local sockets to names in a brokered root. getsockname(2) shows the address as the program
/// wrote it where the name is written in full and without links, or is a bare name in the working directory;
/// else it shows the bare name: the address would have to be resolved again, where a link that the box can
/// change may lead anywhere.
class SocketBroker
{
public:
    explicit SocketBroker(const BrokerContext& context)
        : m_context(context)
    {
    }
    [[nodiscard]] Answer bind(const Call& call, Target& target) const;

private:
    const BrokerContext& m_context;
};

} // namespace revet::supervisor
