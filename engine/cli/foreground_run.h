// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/api/engine.h"
#include "engine/cli/pump.h"
#include "engine/cli/terminal.h"
#include "engine/cli/terminal_filter.h"

#include <chrono>
#include <cstdint>
#include <memory>
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
    [[nodiscard]] std::vector<Pump*> pumps() const;
    [[nodiscard]] std::vector<Pump*> outputs() const;

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
    [[nodiscard]] int terminalOutput() const;
    void giveBackUnreadInput();
    void say(std::string line);
    [[nodiscard]] int finish();

    Terminal& m_terminal;
    Lines m_lines;
    UniqueFd m_signals;
    ipc::Channel m_channel;
    TerminalFilter m_filter;
    std::optional<SessionId> m_session;
    bool m_isPtyForEverything = false; ///< stdin and stdout are the terminal
    bool m_isDetached = false;

    UniqueFd m_pty;
    UniqueFd m_stdin; ///< write end
    UniqueFd m_stdinView; ///< read end, to see what the box has not read
    UniqueFd m_stdout;
    UniqueFd m_stderr;
    std::unique_ptr<Pump> m_input;
    std::unique_ptr<Pump> m_keys; ///< of the terminal, where stdin is something else
    std::unique_ptr<Pump> m_ptyOutput;
    std::unique_ptr<Pump> m_output;
    std::unique_ptr<Pump> m_errors;
    std::vector<pollfd> m_polled;

    std::optional<std::int32_t> m_waitStatus;
    std::string m_summary;
    std::optional<ipc::Failed> m_failure;
    std::optional<int> m_exitCode; ///< decided: leave now
    std::chrono::steady_clock::time_point m_drainUntil; ///< later when output still comes
    std::chrono::steady_clock::time_point m_readUntil; ///< not later than this
};

} // namespace revet::cli
