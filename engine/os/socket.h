// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace revet::os {

/// A connected pair of SOCK_SEQPACKET sockets, close-on-exec.
[[nodiscard]] Result<std::pair<UniqueFd, UniqueFd>> packetSocketPair();

/// Sends one packet with copies of the descriptors. Never raises SIGPIPE.
[[nodiscard]] Result<void> sendPacket(int socket, std::string_view bytes,
                                      std::span<const int> descriptors = {});

/// Who has sent a packet, by the kernel's word.
struct Sender
{
    int pid = 0; ///< 0 where it is not known here
    std::optional<UniqueFd> held; ///< a pidfd of it (Linux 6.5); not open where it has gone
};
/// From now on packets come with their senders, also what is accepted from a listener; and without
/// descriptors where the kernel can refuse them (Linux 6.16).
[[nodiscard]] Result<void> takeSenders(int socket);

struct Packet
{
    std::string bytes;
    std::vector<UniqueFd> descriptors; ///< close-on-exec
    Sender sender; ///< of a socket that takes them
};
/// Waits for one packet. Closed when the peer has gone or sends an empty one; Malformed when it was longer
/// than `maximumBytes` or carried more than eight descriptors: nothing is ever cut short silently.
[[nodiscard]] Result<Packet> receivePacket(int socket, std::size_t maximumBytes);

/// An anonymous file with this content, sealed against change, positioned at its start.
[[nodiscard]] Result<UniqueFd> sealedMemory(const char* name, std::string_view content);
/// The content of a file of at most `maximumBytes`; LimitExceeded beyond.
[[nodiscard]] Result<std::string> readAll(int fd, std::size_t maximumBytes);

} // namespace revet::os
