// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace revet::ipc {

/// Of what is spoken over a box's own socket: programs that others wrote rely on it (revet(1)).
inline constexpr std::uint32_t kBoxProtocolVersion = 1;
inline constexpr std::size_t kMaximumReasonBytes = 500;
inline constexpr std::size_t kMaximumNoteBytes = 2048;

// What a process of the box can say. All of it is its claim.

/// It wants to reach something.
struct AccessRequest
{
    std::string kind; ///< "host", "path"; of others nothing can be given
    std::string target; ///< HOST[:PORT], or an absolute path
    std::string reason; ///< for the person
};
struct BoxNote
{
    std::string text;
};
struct DenialsRequest
{
};
using BoxRequest = std::variant<AccessRequest, BoxNote, DenialsRequest>;

/// Any bytes: a request, or Malformed.
[[nodiscard]] Result<BoxRequest> decodeBoxRequest(std::string_view bytes);

// What it is answered, each fit for a frame.

enum class AccessState : std::uint8_t {
    Open, ///< a person has been asked, or will be where there is something to ask
    Permitted, ///< already
    Refused, ///< by a rule, by a person before, or because too much is asked
    Unavailable, ///< no such thing can be asked here
};
/// `ask` names what was asked, where the box may know.
[[nodiscard]] std::string encodeAccess(AccessState state, const std::string& ask);
[[nodiscard]] std::string encodeNoted();

struct Denial
{
    WallTime time{};
    std::string what; ///< these fit for a screen
    std::string why;
    std::string remedy; ///< the narrowest that the person has; empty for none
};
/// Of these the last that there is room for, latest last.
[[nodiscard]] std::string encodeDenials(const std::vector<Denial>& denials);
[[nodiscard]] std::string encodeRefusal(std::string_view why);

} // namespace revet::ipc
