// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace revet::launcher {

/// What revet-session works the gateway through, in the order in which it is sent. All but Lookup belong to
/// the gateway's network namespace.
enum class GatewaySocket : std::uint8_t {
    Listener4, ///< a transparent TCP listener: what is let through arrives here, whatever its destination
    Resolver, ///< UDP 198.18.0.1:53
    Tap, ///< packet ring of the first SYNs from the box
    Injector, ///< sends packets of its own making into the gateway
    Lookup, ///< sock_diag of the box's network namespace
    Listener6, ///< as Listener4; none without IPv6
};
inline constexpr std::size_t kGatewaySockets = 6;
using GatewaySockets = std::array<UniqueFd, kGatewaySockets>;

/// Where the box's name server answers: the gateway's own address, which no box can bind.
inline constexpr std::array<std::uint8_t, 4> kResolver = {198, 18, 0, 1};

/// As the data of its step: where it cannot be made the box does without, and Report::Kind::Gateway brings
/// nothing.
inline constexpr const char* kOptionalGateway = "optional";

/// Interfaces of the gateway, by the index that packet sockets name them with.
inline constexpr int kGatewayLoopback = 1;
inline constexpr int kGatewayVeth = 100;
/// The hardware address of the box's end.
inline constexpr std::array<char, 6> kBoxHardware = {2, 0, 0, 0, 0, 2};

/// The tap's ring (TPACKET_V2), which revet-session maps.
inline constexpr unsigned kTapFrameBytes = 512;
inline constexpr unsigned kTapFrames = 4096;
inline constexpr unsigned kTapBlockBytes = 65536;

/// Makes a network namespace, the gateway, and joins the calling process's own, a box's, with it by a veth:
/// the single way out. In the gateway no packet is forwarded: first SYNs are dropped for the tap to judge,
/// the resolver is answered, other UDP is refused, all else is dropped. Rules come before the way, so it is
/// closed from the first packet. Without IPv6 on this machine Listener6 is none. `proc` is where a procfs is.
/// An error where the kernel has no nf_tables. Single-threaded process only.
[[nodiscard]] Result<GatewaySockets> makeGateway(const char* proc);
/// From here on the tap takes in SYNs; before, they are lost. Apart from the rest because it waits for all of
/// the machine's processors (RCU), ten milliseconds often, and needs neither namespace nor capability.
[[nodiscard]] Result<void> startTap(const GatewaySockets& sockets);

} // namespace revet::launcher
