// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace revet::egress {

/// How far the first bytes of a client have been understood.
enum class HelloState {
    NeedsMore, ///< so far they begin a hello
    Complete,
    NotTls, ///< the first byte says so
    Malformed, ///< TLS, and broken or beyond the bounds: no honest client sends it
};

/// What a TLS client says first (RFC 8446, 4.1.2), and the name it says it wants.
struct ClientHello
{
    HelloState state = HelloState::NeedsMore;
    std::optional<std::string> serverName; ///< as sent: any bytes but NUL
    bool hasEncryptedHello = false; ///< ECH or its GREASE: an inner name cannot be seen
};

/// A hello may come in several records and several segments. Larger than this is Malformed.
inline constexpr std::size_t kMaximumHello = std::size_t{16} * 1024;

/// Any bytes: all that the client has sent so far.
[[nodiscard]] ClientHello readClientHello(std::string_view sent);

} // namespace revet::egress
