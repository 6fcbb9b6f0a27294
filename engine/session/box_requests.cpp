// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/box_requests.h"

#include "engine/observe/process_facts.h"
#include "engine/os/open_beneath.h"
#include "engine/os/pidfd.h"

#include <variant>

#include <fcntl.h>

namespace revet::session {

namespace {

using ipc::AccessState;

Fact factOf(ActionKind kind, Verdict verdict, std::string target, std::string rule)
{
    return {kind, verdict, Reach::None, std::move(target), {}, std::move(rule), 0, 0};
}

std::string withoutAsk(AccessState state)
{
    return ipc::encodeAccess(state, {});
}

} // namespace

ProcessNumber BoxRequests::processOf(const os::Sender& sender)
{
    // One that has gone may have left its number to another, also to one of the host.
    const ProcessNumber process
        = observe::isBoxProcess(sender.pid) ? m_parts.recorder.sighted(sender.pid) : ProcessNumber();
    const bool isStill = !sender.held || os::isPidFdAlive(sender.held->get());
    return isStill ? process : ProcessNumber();
}

std::string BoxRequests::answer(const os::Sender& sender, const ipc::BoxRequest& request)
{
    const ProcessNumber process = processOf(sender);
    return std::visit([&](const auto& one) { return answer(process, one); }, request);
}

std::string BoxRequests::answer(ProcessNumber process, const ipc::AccessRequest& request)
{
    if (request.kind == "host") {
        return askForHost(process, request);
    }
    return request.kind == "path" ? askForPath(process, request) : withoutAsk(AccessState::Unavailable);
}

std::string BoxRequests::askForHost(ProcessNumber process, const ipc::AccessRequest& request)
{
    const auto destination = egress::Destination::parse(request.target);
    if (!destination || m_parts.decider == nullptr || m_parts.desk == nullptr) {
        return withoutAsk(AccessState::Unavailable);
    }
    const auto claimed = m_parts.desk->claim(process, *destination, *m_parts.decider, request.reason);
    return ipc::encodeAccess(claimed.state, claimed.ask.number == 0 ? std::string() : claimed.ask.text());
}

std::string BoxRequests::askForPath(ProcessNumber process, const ipc::AccessRequest& request)
{
    if (m_parts.offers == nullptr || !request.target.starts_with('/')) {
        return withoutAsk(AccessState::Unavailable);
    }
    if (os::openBeneath(m_parts.root.get(), request.target.substr(1), O_PATH)) {
        return withoutAsk(AccessState::Permitted);
    }
    m_parts.offers->claim(process, request.target, request.reason);
    // Whatever lies there: a box does not learn what the host has.
    return withoutAsk(AccessState::Open);
}

std::string BoxRequests::answer(ProcessNumber process, const ipc::BoxNote& note)
{
    m_parts.recorder.record(process, factOf(ActionKind::Note, Verdict::Permitted, note.text, "the box says"));
    return ipc::encodeNoted();
}

std::string BoxRequests::answer(ProcessNumber /*process*/, const ipc::DenialsRequest& /*request*/)
{
    return ipc::encodeDenials(m_parts.status == nullptr ? std::vector<ipc::Denial>()
                                                        : m_parts.status->recent());
}

void BoxRequests::refusedForHaste()
{
    m_parts.recorder.note(
        factOf(ActionKind::Limit, Verdict::Denied, "box socket", "too many requests at once"));
}

} // namespace revet::session
