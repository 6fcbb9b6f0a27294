// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// A session's ways out of its box and into it, and the questions about them.

#include "engine/domain/error_line.h"
#include "engine/egress/system_names.h"
#include "engine/session/running_session.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace revet::session {

Result<void> RunningSession::startNetwork(const Places& places)
{
    const bool forwards
        = !m_request.hostPorts.empty() || !m_request.publishedPorts.empty() || !m_preparation.sockets.empty();
    launcher::GatewaySockets gateway = m_box.takeGateway();
    const bool hasGateway = std::ranges::any_of(gateway, &UniqueFd::isOpen);
    if (m_preparation.spec.hasNetwork && !hasGateway) {
        for (std::string& line : m_preparation.lines) {
            if (line.starts_with("network: ")) {
                line += " - but this kernel lacks what that needs (nf_tables): no host can be reached";
            }
        }
    }
    if (!hasGateway && !forwards) {
        return {};
    }
    const SessionId& id = m_preparation.info.id;
    if (hasGateway) {
        REVET_ASSIGN_OR_RETURN(m_status, StatusFile::create(statusDirectory(places.sessionDirectory(id))));
    }
    m_connections.emplace(*m_recorder, hasGateway, m_preparation.model, m_status ? &*m_status : nullptr,
                          m_clock, id.text());
    const auto onFailure = [this](const Error& error) { failNetwork(error); };
    if (hasGateway) {
        m_rules.emplace(m_preparation.network, m_clock);
        m_decider.emplace(*m_rules, m_grants, m_clock);
        REVET_ASSIGN_OR_RETURN(
            auto egress,
            egress::Egress::start(std::move(gateway),
                                  {*m_decider, *m_connections, m_clock,
                                   std::make_shared<egress::SystemNames>(),
                                   std::make_unique<egress::Dialler>(), onFailure, m_desk.get()}));
        m_egress.emplace(std::move(egress));
    }
    if (forwards) {
        REVET_ASSIGN_OR_RETURN(ForwardedPorts* const opened, ports());
        REVET_ASSIGN_OR_RETURN(auto lines,
                               opened->open(m_request, std::move(m_preparation.sockets), *m_recorder, id));
        std::move(lines.begin(), lines.end(), std::back_inserter(m_preparation.lines));
    }
    return {};
}

void RunningSession::failNetwork(const Error& error)
{
    m_alarm->raise("the box's connections could not be served: " + errorLine(error));
}

Result<void> RunningSession::startAsking(const Installation& installation)
{
    if (!m_answers) {
        return {};
    }
    m_desktop.emplace(installation, m_request.environment);
    approval::Inbox::Setting setting;
    setting.session = m_preparation.info.id;
    setting.project = m_preparation.info.project;
    setting.tier = m_preparation.info.tier;
    setting.deadline = m_preparation.askDeadline;
    const auto ownerOf = [this](std::uint64_t socket) { return m_connections->ownerOf(socket); };
    const auto settle = [this](std::vector<egress::ConnectionAnswer> answers) {
        if (m_egress) { // else no connection has ever waited
            m_egress->answer(std::move(answers));
        }
    };
    REVET_ASSIGN_OR_RETURN(
        m_desk,
        AskDesk::create(
            setting,
            {m_clock, *m_recorder, m_grants, *m_answers, !m_preparation.network.isEmpty(), ownerOf, settle,
             [this](std::string line) { m_frontEnd.send(ipc::Notice{std::move(line)}); }, *m_desktop}));
    return {};
}

Result<void> RunningSession::listenToBox(UniqueFd root, const Places& places)
{
    if (!m_preparation.spec.hasNetwork) {
        return {};
    }
    m_boxRequests.emplace(BoxRequests::Parts{*m_recorder, m_desk.get(), m_decider ? &*m_decider : nullptr,
                                             m_offers ? &*m_offers : nullptr, m_status ? &*m_status : nullptr,
                                             std::move(root)});
    const auto directory = statusDirectory(places.sessionDirectory(m_preparation.info.id));
    REVET_ASSIGN_OR_RETURN(
        m_boxSocket,
        BoxSocket::listen(directory / BoxSocket::kName,
                          {m_clock,
                           [this](const os::Sender& sender, const ipc::BoxRequest& request) {
                               return m_boxRequests->answer(sender, request);
                           },
                           [this] { m_boxRequests->refusedForHaste(); }}));
    return {};
}

int RunningSession::waitingBoxSocket() const
{
    return m_boxSocket && !m_isServingBoxSocket ? m_boxSocket->fd() : -1;
}

void RunningSession::serveBoxSocket()
{
    m_isServingBoxSocket = true;
    // noexcept: a task would keep an exception.
    m_servers.start(std::packaged_task<void()>([socket = m_boxSocket.get()]() noexcept { socket->serve(); }));
}

Control::Handler RunningSession::controlHandler()
{
    Control::Handler handler;
    handler.info = [this] { return liveInfo(); };
    handler.stop = [this](bool isForced) { stop(isForced); };
    handler.answerAsk = [this](const ipc::AnswerAsk& answer) -> Result<void> {
        if (!m_desk || !m_live) {
            return fail(ErrorCode::NotFound, "answer", "this session asks nothing");
        }
        REVET_ASSIGN_OR_RETURN(
            const std::int64_t grant,
            m_desk->answer({answer.ask, {answer.hash, answer.isApproved, answer.scope}, answer.until}));
        const Result<void> given = grant == 0 ? Result<void>() : reloadGrants(grant);
        if (!given && answer.isApproved) { // a yes that cannot be kept was none, for later sessions neither
            m_desk->reopen(answer.ask);
            REVET_RETURN_IF_ERROR(m_answers->revokeGrant(grant, m_clock.now()));
            refreshGrants();
        }
        return given;
    };
    handler.grantsChanged = [this](std::int64_t asked) -> Result<void> {
        return !m_live
            ? fail(ErrorCode::Refused, "change its grants", "it has only just begun, or asks nothing")
            : reloadGrants(asked);
    };
    return handler;
}

} // namespace revet::session
