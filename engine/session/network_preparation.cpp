// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/network_preparation.h"

#include "engine/approval/inbox.h"
#include "engine/base/directory.h"
#include "engine/policy/settings.h"
#include "engine/session/box_socket.h"
#include "engine/session/status_file.h"

namespace revet::session {

namespace {

/// For how long an ask waits; 0 where nobody can be asked: nobody would see that something is.
Result<std::chrono::seconds> askDeadline(const ipc::RunRequest& request)
{
    if (request.onAsk.empty()) {
        return request.terminal.stderrIsTerminal ? approval::Inbox::kDefaultDeadline
                                                 : std::chrono::seconds(0);
    }
    REVET_ASSIGN_OR_RETURN(const policy::OnAsk onAsk, policy::parseOnAsk(request.onAsk));
    switch (onAsk.kind) {
    case policy::OnAsk::Kind::Wait:
        return approval::Inbox::kDefaultDeadline;
    case policy::OnAsk::Kind::Deny:
        return std::chrono::seconds(0);
    case policy::OnAsk::Kind::Deadline:
        break;
    }
    return onAsk.deadline;
}

} // namespace

Result<void> relaySockets(const ipc::RunRequest& request, const std::filesystem::path& sessionDirectory,
                          const std::vector<std::string>& changeable, const Places& places,
                          Preparation& result)
{
    REVET_ASSIGN_OR_RETURN(result.sockets,
                           makeRelayedSockets(request.hostSockets, sessionDirectory, changeable, places));
    for (const RelayedSocket& socket : result.sockets) {
        result.spec.sockets.push_back({socket.ours, socket.path});
        result.notes.push_back(
            {ActionKind::Session, Verdict::Permitted, Reach::Machine, socket.path, {}, "--socket", 0, 0});
    }
    return {};
}

Result<void> openNetwork(const ipc::RunRequest& request, const std::filesystem::path& sessionDirectory,
                         bool hasGrants, Preparation& result)
{
    tiers::BoxSpec& spec = result.spec;
    REVET_ASSIGN_OR_RETURN(result.askDeadline, askDeadline(request));
    const bool isCountedOn = !result.network.isEmpty() || hasGrants;
    spec.hasNetwork = isCountedOn || result.askDeadline > std::chrono::seconds(0);
    spec.isNetworkOptional = !isCountedOn;
    if (spec.hasNetwork) {
        const std::filesystem::path status = statusDirectory(sessionDirectory);
        REVET_RETURN_IF_ERROR(makePrivateDirectory(status));
        spec.visible.push_back(
            {status.string(), StatusFile::kPlaceInBox, tiers::VisiblePath::Access::ReadOnly});
        spec.removeAtEnd.push_back(status / BoxSocket::kName);
    }
    return {};
}

} // namespace revet::session
