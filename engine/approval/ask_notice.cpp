// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/approval/ask_notice.h"

#include "engine/domain/display_escape.h"

namespace revet::approval {

std::string askerOf(const Ask& ask)
{
    constexpr std::size_t kColumns = 60;
    return ask.chain.empty() ? "a process" : elideMiddle(displayQuoted(ask.chain.back().exe), kColumns);
}

std::string noticeOf(const Ask& ask)
{
    constexpr std::size_t kTargetColumns = 300; // every name of a host
    const std::string id = ask.id.text();
    return "revet " + ask.id.session.text() + ": connect to "
        + elideMiddle(displayQuoted(ask.target), kTargetColumns) + "? 'revet asks " + id
        + "' shows more, 'revet approve " + id + "' or 'revet deny " + id + "' answers; it is for "
        + askerOf(ask);
}

} // namespace revet::approval
