// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/keeper_errands.h"

#include "engine/launcher/wire.h"
#include "engine/os/socket.h"

#include <cerrno>

#include <poll.h>

namespace revet::session {

Result<UniqueFd> KeeperErrands::run(const launcher::Errand& errand)
{
    const std::lock_guard lock(m_mutex);
    if (!m_socket) {
        REVET_ASSIGN_OR_RETURN(m_socket, m_open());
    }
    REVET_RETURN_IF_ERROR(os::sendPacket(m_socket.get(), launcher::encode(errand)));
    pollfd answer{m_socket.get(), POLLIN, 0};
    int ready = 0;
    do {
        ready = ::poll(&answer, 1, static_cast<int>(m_patience.count()));
    } while (ready < 0 && errno == EINTR);
    if (ready == 0) {
        m_socket.reset();
        return fail(ErrorCode::System, "have the box's keeper do something",
                    "it does not answer; what it was asked for may not be done");
    }
    REVET_ASSIGN_OR_RETURN(auto packet, os::receivePacket(m_socket.get(), launcher::kMaximumPacketBytes));
    REVET_ASSIGN_OR_RETURN(const auto report, launcher::decodeReport(packet.bytes));
    if (report.kind != launcher::Report::Kind::Opened
        || packet.descriptors.size() != (errand.hasDescriptor() ? 1U : 0U)) {
        return fail(Error{ErrorCode::System, report.text, report.value, {}});
    }
    return packet.descriptors.empty() ? UniqueFd() : std::move(packet.descriptors.front());
}

} // namespace revet::session
