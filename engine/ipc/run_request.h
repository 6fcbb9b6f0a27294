// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/domain/session_info.h"
#include "engine/domain/tier.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace revet::ipc {

/// The front end's terminal, as the box's pty has to look.
struct TerminalState
{
    bool stdinIsTerminal = false;
    bool stdoutIsTerminal = false;
    bool stderrIsTerminal = false;
    std::uint16_t rows = 0;
    std::uint16_t columns = 0;
    std::string settings; ///< the bytes of the caller's struct termios; empty without a terminal
    bool stderrIsStdout = false; ///< both are one open file: what goes there keeps its order
    std::uint8_t closed = 0; ///< bit i set: the i-th of stdin, stdout, stderr is not open at all
};

/// Everything that `revet run` was asked, as bytes; nothing in it has been judged yet.
struct RunRequest
{
    std::vector<std::string> command; ///< argv; never empty after decoding
    std::vector<std::string> environment; ///< the caller's, NAME=value
    std::string currentDirectory; ///< absolute
    std::optional<std::string> project; ///< absolute; else found from currentDirectory
    std::optional<Tier> tier;
    std::vector<std::string> profiles;
    std::vector<std::string> environmentAssignments; ///< --env: NAME or NAME=value
    std::vector<std::string> bindReadOnly; ///< absolute
    std::vector<std::string> bindReadWrite; ///< absolute
    std::vector<std::string> unhide; ///< absolute
    std::vector<std::string> allowedHosts; ///< --allow-host: HOST[:PORT]
    std::vector<std::string> hostSockets; ///< --socket; absolute
    std::vector<std::uint16_t> hostPorts; ///< --host-port
    std::vector<std::uint16_t> publishedPorts; ///< --publish: the box's
    std::optional<ObserveLevel> observe;
    std::string onAsk; ///< --on-ask: wait, deny or a duration; empty: as it fits
    std::string label;
    std::optional<std::string> continues; ///< the id of the session whose layer this one goes on with
    bool isDetached = false;
    TerminalState terminal;
    bool isInteractive = false; ///< a human sits at the terminal and can be asked
};

inline constexpr std::size_t kMaximumRequestBytes = std::size_t{16} * 1024 * 1024;

[[nodiscard]] std::string encodeRunRequest(const RunRequest& request);
/// Total: bounds every list and string, and refuses NUL bytes and relative paths where paths are absolute.
[[nodiscard]] Result<RunRequest> decodeRunRequest(std::string_view json);

/// Text in a memory file that nobody can change any more: an argv may be 2 MiB, a frame only 64 KiB.
[[nodiscard]] Result<UniqueFd> sealInMemory(std::string_view text);
/// Reads such a file; Malformed when it is not sealed or larger than `maximum`.
[[nodiscard]] Result<std::string> readSealed(int fd, std::size_t maximum);

} // namespace revet::ipc
