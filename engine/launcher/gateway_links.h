// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/os/netlink.h"

namespace revet::launcher {

/// What needs no box yet: loopback, and routes that take every destination for a local one.
[[nodiscard]] Result<void> prepareGatewayLinks(os::NetlinkSocket& gateway, bool withV6);
/// The veth between the box and the gateway, with addresses, neighbours and the box's default routes.
/// `gatewayNamespace` is a descriptor of the second's.
[[nodiscard]] Result<void> joinLinks(os::NetlinkSocket& box, os::NetlinkSocket& gateway, int gatewayNamespace,
                                     bool withV6);

} // namespace revet::launcher
