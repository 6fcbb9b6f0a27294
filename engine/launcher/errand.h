// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace revet::launcher {

/// What revet-session has the keeper do while the box lives. A socket belongs for ever to the network
/// namespace of the process that opened it, and into the box's revet-session cannot go; what is mounted in
/// the keeper's tree shows in the box's (StepKind::ShareRoot). Errands and their
/// answers travel on a socket of their own, whose other end comes to the keeper on kKeeperSocket as the
/// packet kErrandsPacket. Each is answered, in order, by Report::Kind::Opened or Failed.
struct Errand
{
    enum class Kind : std::uint8_t {
        Stream, ///< a TCP socket, not connected
        Listener, ///< a TCP listener at the loopback address and `port`
        Lookup, ///< a socket for sock_diag
        Mount, ///< the host's object at `source` at `target`; its root (O_PATH)
        Cover, ///< the same over what is at `target`, and nothing is made where nothing is
        Unmount, ///< takes away what Mount has put at `target`; without a descriptor
    };
    Kind kind = Kind::Stream;
    bool isV6 = false;
    std::uint16_t port = 0;
    bool isReadOnly = true;
    /// Absolute paths through no symbolic link; `source` leads to this object or is refused.
    std::string source = {};
    std::string target = {};
    std::uint64_t device = 0;
    std::uint64_t inode = 0;

    [[nodiscard]] bool hasDescriptor() const { return kind != Kind::Unmount; }
};
inline constexpr std::size_t kMaximumErrandPath = 4000; ///< of two in one packet
inline constexpr std::uint8_t kErrandKindCount = 6;
inline constexpr std::string_view kErrandsPacket = "errands";

[[nodiscard]] std::string encode(const Errand& errand);
[[nodiscard]] Result<Errand> decodeErrand(std::string_view bytes);

/// Does it, in the calling process's network and mount namespaces; Unmount gives none. TCP sockets are
/// non-blocking.
[[nodiscard]] Result<UniqueFd> runErrand(const Errand& errand);

} // namespace revet::launcher
