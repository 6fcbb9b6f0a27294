// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace revet::launcher {

/// Descriptors that revet-launch is born with.
/// Keeper <-> revet-session. The plan comes here in one or more parts, each a packet with one descriptor: a
/// sealed memory file with an encoded Plan. Its steps for the keeper are done when they come; the part with
/// steps for pid 1 is the last.
inline constexpr int kKeeperSocket = 3;
inline constexpr int kInitSocket = 4; ///< pid 1 <-> revet-session

inline constexpr std::size_t kMaximumPlanBytes = std::size_t{16} << 20U;
inline constexpr std::size_t kMaximumPacketBytes = 8192;

/// What the launcher tells revet-session.
struct Report
{
    enum class Kind : std::uint8_t {
        Failed, ///< text: which step, and nothing of the box is left; or errand. value: errno.
        Root, ///< one descriptor: O_PATH "/" of the keeper's tree
        Gateway, ///< descriptors: GatewaySockets; without the last where there is no IPv6
        Init, ///< value: pid 1's process id as the host sees it
        Ready, ///< pid 1 has built its part and waits for commands
        Terminal, ///< one descriptor: the master of the box's terminal
        Listener, ///< one descriptor: the listener of the command's filter
        ExecFailed, ///< value: errno
        Exited, ///< value: wait status of the command
        Stopped, ///< value: the signal that stopped it
        Empty, ///< no process is left in the box but pid 1; comes before the last Exited
        Opened, ///< an errand is done; with the descriptor that it is for, if any
    };
    Kind kind = Kind::Failed;
    std::uint32_t command = 0; ///< Listener to Stopped: which command, counted from 1
    std::int32_t value = 0;
    std::string text;
};
inline constexpr std::uint8_t kReportKindCount = 12;

/// What revet-session tells pid 1.
struct Order
{
    enum class Kind : std::uint8_t {
        Spawn, ///< descriptors: a sealed memory file with the SpawnRequest, then the streams it names
        Signal, ///< value: signal for the command's process group
        Continue, ///< back to the foreground and on
    };
    Kind kind = Kind::Spawn;
    std::uint32_t command = 0;
    std::int32_t value = 0;
};
inline constexpr std::uint8_t kOrderKindCount = 3;

[[nodiscard]] std::string encode(const Report& report);
[[nodiscard]] Result<Report> decodeReport(std::string_view bytes);
[[nodiscard]] std::string encode(const Order& order);
[[nodiscard]] Result<Order> decodeOrder(std::string_view bytes);

} // namespace revet::launcher
