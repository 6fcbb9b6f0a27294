// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/strong_id.h"

#include <compare>
#include <string>
#include <string_view>

namespace revet {

/// Number of an event in its session's journal: dense, from 1, so it is the row number too.
using EventSeq = StrongId<struct EventSeqTag>;
/// Number of a process in its session's journal: dense, from 1 (the session's first command).
using ProcessNumber = StrongId<struct ProcessNumberTag, std::uint32_t>;

/// A session's name: six characters of a-z and 2-9 without the ones people confuse, such as "k3f9q2".
class SessionId
{
public:
    SessionId() = default;
    /// A new random id. The caller makes sure that no session has it yet.
    [[nodiscard]] static SessionId generate();
    [[nodiscard]] static Result<SessionId> parse(std::string_view text);
    [[nodiscard]] const std::string& text() const { return m_text; }
    [[nodiscard]] bool isNone() const { return m_text.empty(); }
    friend auto operator<=>(const SessionId&, const SessionId&) = default;

private:
    std::string m_text;
};

} // namespace revet
