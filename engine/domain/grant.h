// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/ask.h"

#include <cstdint>
#include <optional>
#include <string>

namespace revet {

/// A remembered answer. Strings are bytes.
struct Grant
{
    std::int64_t id = 0; ///< given by the catalogue
    AskKind kind = AskKind::Destination;
    bool isAllowed = true; ///< else a no that is remembered
    GrantScope scope = GrantScope::Session;
    std::string project;
    SessionId session; ///< none for Project
    std::string target; ///< a host pattern or an address, with its port
    std::string chain; ///< of programs, see chainOf(); empty: any
    std::string origin; ///< the ask's id, or empty where the person gave it unasked
    WallTime created{};
    std::optional<WallTime> expires;
    std::optional<WallTime> lastUse;
    std::uint64_t hits = 0;
    std::optional<WallTime> revoked; ///< or, of Once, used up

    /// "g7", as people name it.
    [[nodiscard]] std::string name() const { return 'g' + std::to_string(id); }
    [[nodiscard]] bool isInForce(WallTime now) const { return !revoked && (!expires || now < *expires); }
};
/// The number in "g7". InvalidArgument.
[[nodiscard]] Result<std::int64_t> parseGrantName(std::string_view text);

} // namespace revet
