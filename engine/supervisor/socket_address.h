// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace revet::supervisor {

/// A sockaddr as somebody claims it, in words.
struct SocketAddress
{
    enum class Kind : std::uint8_t {
        Other, ///< another family, or too short to say: the kernel will refuse or ignore it
        LocalPath, ///< text: the path as given, maybe relative
        LocalAbstract, ///< text: "@name"
        Network, ///< text: "127.0.0.1:80", "[::1]:80"
    };
    Kind kind = Kind::Other;
    std::string text;
    bool isLoopback = false; ///< Network: this machine's own loopback, or unspecified
    std::uint16_t port = 0; ///< Network
};

/// The longest address that the kernel takes (sizeof sockaddr_storage).
inline constexpr std::size_t kSocketAddressMaximum = 128;

/// Total for any bytes; `bytes` is as long as the call says the address is.
[[nodiscard]] SocketAddress parseSocketAddress(std::span<const std::byte> bytes);

/// "AF_PACKET" for a family that boxes do not get, the number for one without a name here.
[[nodiscard]] std::string socketFamilyName(int family);

} // namespace revet::supervisor
