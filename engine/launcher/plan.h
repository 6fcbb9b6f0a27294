// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace revet::launcher {

/// What one step of building a box does. `source`, `target`, `data` and `flags` mean what the comment says.
/// The numbers are the wire form between revet-session and revet-launch of the same build.
enum class StepKind : std::uint8_t {
    // Done by the keeper, in the order of the plan.
    OuterNamespaces, ///< a user namespace (uid maps to itself) and a mount namespace, private from the host's
    EmptyRoot, ///< an empty tmpfs becomes "/", the host's tree stays reachable at /old
    Directory, ///< target; data: mode in octal
    Symlink, ///< target points to data
    File, ///< target gets the content data; read-only
    Copy, ///< target gets the content of source (a small host file); skipped where there is none
    TemporaryFs, ///< a tmpfs at target; data: mount options
    Bind, ///< source (a host path) at target; flags: BindFlag
    Pin, ///< the directory target becomes a mount of itself: the box cannot move what is mounted below it
    Overlay, ///< source: lower host path; data: host path of "closed/upper" and "work"; at target
    Terminals, ///< a devpts of the box's own at target
    RemoveAtEnd, ///< the host's file target is unlinked when the box ends, also when revet-session was killed
    /// a network namespace of its own, joined to that of OwnNamespaces; a procfs is at source. Its sockets
    /// are
    /// sent to revet-session
    Gateway,
    /// /old is covered in the keeper's own tree too: what revet-session resolves there on behalf of the box
    /// must not lead out
    HideHost,
    /// the tree becomes shared, so that later grants reach the box; its root is sent to revet-session
    ShareRoot,
    OwnNamespaces, ///< network, IPC, UTS and cgroup namespaces: the box's own, and the keeper stands in them
    ///< too
    HostName, ///< data; in the UTS namespace
    Loopback, ///< the network namespace's own loopback interface comes up
    // Done by pid 1 of the box.
    InnerMounts, ///< a second mount namespace, receiving only
    Processes, ///< a fresh procfs at target
    DetachHost, ///< /old leaves the box's tree
    ReadOnly, ///< target becomes read-only in the box; the keeper's tree keeps it writable
    InnerUser, ///< a user namespace nested in the keeper's: nothing that the keeper made is its own
    LimitNamespaces, ///< no further user, mount, network, … namespace inside; inotify within bounds
    HideInit, ///< pid 1 becomes non-dumpable: its memory, descriptors and root are nobody's inside
    // Done by the command's process, just before exec.
    FreshKeyring, ///< a session keyring of its own
    Umask, ///< data: mode in octal
    NoNewPrivileges,
    DropCapabilities, ///< all sets, and the bounding set
    LoadFilter, ///< data: BPF; flags: FilterFlag
    CloseDescriptors, ///< everything above 2
};
inline constexpr std::uint8_t kStepKindCount = 31;
/// "read-only", "drop-capabilities"; how a step is named in messages, dumps and tests.
[[nodiscard]] std::string_view toString(StepKind kind);

/// Flags of a Bind step.
namespace bind_flag {
inline constexpr std::uint64_t kReadOnly = 1;
inline constexpr std::uint64_t kDevice = 2; ///< device nodes work below it
inline constexpr std::uint64_t kOptional = 4; ///< a source that is not there is skipped
/// what an earlier box left in the way of the target gets another name; of overlays too
inline constexpr std::uint64_t kMovesAside = 8;
} // namespace bind_flag

/// Flags of a LoadFilter step.
namespace filter_flag {
inline constexpr std::uint64_t kListener = 1; ///< its calls wait for revet-session, which gets the listener
} // namespace filter_flag

struct Step
{
    StepKind kind = StepKind::Directory;
    std::string source;
    std::string target;
    std::string data;
    std::uint64_t flags = 0;

    friend bool operator==(const Step&, const Step&) = default;
};
/// One line, for dumps and failures: "bind /usr at /usr (read-only)".
[[nodiscard]] std::string describe(const Step& step);

/// How a box is built: ordered, printable, and the whole truth. Tests edit it to take a wall away.
struct Plan
{
    std::vector<Step> outer; ///< for the keeper
    std::vector<Step> init; ///< for pid 1
    std::vector<Step> command; ///< for each command
};
[[nodiscard]] std::string describe(const Plan& plan);

/// One command to run in a box that is up.
struct SpawnRequest
{
    std::vector<std::string> argv; ///< never empty
    std::vector<std::string> environment; ///< NAME=value
    std::string workingDirectory;
    std::vector<Step> steps;
    bool wantsTerminal = false; ///< descriptors 0 to 2 that are not sent are the box's own terminal
    std::uint16_t terminalRows = 0;
    std::uint16_t terminalColumns = 0;
    std::string terminalSettings; ///< the bytes of a struct termios, or empty for the kernel's own
    /// Bit i set: the i-th of stdin, stdout, stderr comes with the message.
    std::uint8_t sentStreams = 0;
    std::uint8_t closedStreams = 0; ///< likewise: it is not open, as at the caller's
    /// Bit n-1 set: signal n starts out ignored, as nohup and the shells' background jobs want it.
    std::uint64_t ignoredSignals = 0;
};

/// Total decoding: any bytes either decode to a plan within bounds or fail as Malformed.
[[nodiscard]] std::string encode(const Plan& plan);
[[nodiscard]] Result<Plan> decodePlan(std::string_view bytes);
[[nodiscard]] std::string encode(const SpawnRequest& request);
[[nodiscard]] Result<SpawnRequest> decodeSpawnRequest(std::string_view bytes);

} // namespace revet::launcher
