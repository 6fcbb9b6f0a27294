// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// A session's ways out of its box, and into it.

#include "engine/domain/error_line.h"
#include "engine/egress/system_names.h"
#include "engine/session/running_session.h"

#include <iterator>
#include <memory>
#include <utility>

namespace revet::session {

Result<void> RunningSession::startNetwork()
{
    const bool forwards
        = !m_request.hostPorts.empty() || !m_request.publishedPorts.empty() || !m_preparation.sockets.empty();
    if (!m_preparation.spec.hasNetwork && !forwards) {
        return {};
    }
    const auto onFailure = [alarm = m_alarm.get()](const Error& error) {
        alarm->raise("the box's connections could not be served: " + errorLine(error));
    };
    m_connections.emplace(*m_recorder, m_preparation.spec.hasNetwork, m_preparation.model);
    if (m_preparation.spec.hasNetwork) {
        m_rules.emplace(m_preparation.network, m_clock);
        m_decider.emplace(*m_rules);
        REVET_ASSIGN_OR_RETURN(auto egress,
                               egress::Egress::start(m_box.takeGateway(),
                                                     {*m_decider, *m_connections, m_clock,
                                                      std::make_shared<egress::SystemNames>(),
                                                      std::make_unique<egress::Dialler>(), onFailure}));
        m_egress.emplace(std::move(egress));
    }
    if (forwards) {
        REVET_ASSIGN_OR_RETURN(auto ports, ForwardedPorts::start(m_box, *m_connections, m_clock, onFailure));
        m_ports.emplace(std::move(ports));
        REVET_ASSIGN_OR_RETURN(auto lines,
                               m_ports->open(m_request, std::move(m_preparation.sockets), *m_recorder));
        std::move(lines.begin(), lines.end(), std::back_inserter(m_preparation.lines));
    }
    return {};
}

} // namespace revet::session
