// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/policy/ip_address.h"

#include <cstdint>

namespace revet::egress {

/// Where the machine would send a packet to an address, by its own routes.
enum class Way : std::uint8_t {
    Gateway, ///< on, by another host or through a tunnel
    Neighbour, ///< to a host of the same link: an inner network, whatever its addresses look like
    Own, ///< to itself, or to many: the address is one of this machine's
};

/// As the kernel says, now. An error: it knows no way.
[[nodiscard]] Result<Way> wayTo(const policy::IpAddress& address);

} // namespace revet::egress
