// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/streams.h"

#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace revet::session {

std::vector<int> Streams::boxDescriptors() const
{
    std::vector<int> descriptors;
    for (const UniqueFd& end : boxEnds) {
        if (end) {
            descriptors.push_back(end.get());
        }
    }
    return descriptors;
}

Result<Streams> makeStreams(const ipc::TerminalState& terminal, launcher::SpawnRequest& command)
{
    Streams streams;
    const std::array isTerminal
        = {terminal.stdinIsTerminal, terminal.stdoutIsTerminal, terminal.stderrIsTerminal};
    command.wantsTerminal = isTerminal[0] || isTerminal[1] || isTerminal[2];
    command.terminalRows = terminal.rows;
    command.terminalColumns = terminal.columns;
    command.terminalSettings = terminal.settings;
    command.sentStreams = 0;
    command.closedStreams = terminal.closed;
    for (std::size_t i = 0; i < isTerminal.size(); ++i) {
        const bool isClosed = ((terminal.closed >> i) & 1U) != 0;
        if (isTerminal.at(i) || isClosed) {
            continue;
        }
        command.sentStreams = static_cast<std::uint8_t>(command.sentStreams | (1U << i));
        if (i == STDERR_FILENO && terminal.stderrIsStdout && streams.boxEnds[STDOUT_FILENO]) {
            streams.boxEnds.at(i).reset(
                ::fcntl(streams.boxEnds[STDOUT_FILENO].get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
            if (!streams.boxEnds.at(i)) {
                return failErrno("share a pipe of the command");
            }
            continue;
        }
        std::array<int, 2> ends{-1, -1};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
            return failErrno("make a pipe for the command");
        }
        const bool isInput = i == 0;
        streams.boxEnds.at(i).reset(isInput ? ends[0] : ends[1]);
        streams.outerEnds.at(i).reset(isInput ? ends[1] : ends[0]);
    }
    return streams;
}

} // namespace revet::session
