// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/api/engine.h"
#include "engine/cli/run_streams.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/signalfd.h>

namespace revet::cli {

/// Stands in for the command on the caller's terminal and pipes while it runs in its box: keys, output, size,
/// job control, signals, exit status. One for the life of the program; takes signals over from its making on.
class ForegroundRun
{
public:
    enum class Lines : std::uint8_t { Shown, Hidden };

    /// `terminal` may be without a terminal. It outlives this.
    ForegroundRun(Terminal& terminal, Lines lines);
    ForegroundRun(const ForegroundRun&) = delete;
    ForegroundRun& operator=(const ForegroundRun&) = delete;
    ForegroundRun(ForegroundRun&&) = delete;
    ForegroundRun& operator=(ForegroundRun&&) = delete;
    ~ForegroundRun() = default;

    /// Starts the session and stays until its command has ended. The exit status of `revet run`.
    [[nodiscard]] int run(const ipc::RunRequest& request);
    /// The session that ran, once it has started.
    [[nodiscard]] const std::optional<SessionId>& session() const { return m_session; }

private:
    [[nodiscard]] bool isDraining() const { return m_waitStatus.has_value() || m_failure.has_value(); }
    [[nodiscard]] bool isDrained() const;
    void startDraining();
    void turnOnce();
    void carry();
    [[nodiscard]] int timeout() const;

    void receiveMessage();
    void handle(const ipc::Started& started, std::vector<UniqueFd> fds);
    void handle(const ipc::Message& message);
    void handleStop();
    void loseSession(const Error& error);
    void send(const ipc::Message& message);

    void receiveSignal();
    void forward(std::uint32_t signal);
    void comeBack();
    void updateTerminal();
    void say(std::string line);
    [[nodiscard]] int finish();

    Terminal& m_terminal;
    Lines m_lines;
    UniqueFd m_signals;
    ipc::Channel m_channel;
    RunStreams m_streams;
    std::optional<SessionId> m_session;
    RunStreams::Terminals m_terminals = RunStreams::Terminals::BesideUs;
    bool m_isDetached = false;

    std::vector<pollfd> m_polled;

    std::optional<std::int32_t> m_waitStatus;
    std::string m_summary;
    std::vector<std::string> m_lastLines;
    std::optional<ipc::Failed> m_failure;
    std::optional<int> m_exitCode; ///< decided: leave now
    std::chrono::steady_clock::time_point m_drainUntil; ///< later when output still comes
    std::chrono::steady_clock::time_point m_readUntil; ///< not later than this
};

} // namespace revet::cli
