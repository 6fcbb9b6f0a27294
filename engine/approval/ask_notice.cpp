// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/approval/ask_notice.h"

#include "engine/domain/display_escape.h"

namespace revet::approval {

std::string wishOf(const Ask& ask, std::size_t columns)
{
    const std::string target = elideMiddle(displayQuoted(ask.target), columns);
    switch (ask.kind) {
    case AskKind::Destination:
        return "connect to " + target;
    case AskKind::Brake:
        return "it is held; go on removing files in " + target;
    case AskKind::RunLater:
        return "write what this machine runs later, " + target;
    case AskKind::Path:
    case AskKind::PathWrite:
        return "see " + target;
    case AskKind::HostPort:
    case AskKind::Publish:
    case AskKind::Socket:
        break; // nobody asks for them
    }
    return "reach " + target;
}

std::string askerOf(const Ask& ask)
{
    constexpr std::size_t kColumns = 60;
    return ask.chain.empty() ? "a process" : elideMiddle(displayQuoted(ask.chain.back().exe), kColumns);
}

std::string noticeOf(const Ask& ask)
{
    constexpr std::size_t kTargetColumns = 300; // every name of a host
    const std::string id = ask.id.text();
    return "revet " + ask.id.session.text() + ": " + wishOf(ask, kTargetColumns) + "? 'revet asks " + id
        + "' shows more, 'revet approve " + id + "' or 'revet deny " + id + "' answers; it is for "
        + askerOf(ask);
}

} // namespace revet::approval
