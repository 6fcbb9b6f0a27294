// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/api/engine.h"
#include "engine/cli/pump.h"
#include "engine/cli/terminal.h"
#include "engine/cli/terminal_filter.h"

#include <memory>
#include <vector>

#include <poll.h>

namespace revet::cli {

/// The bytes between the caller's terminal and pipes and those of the command in its box, and who has the
/// keys. One thread.
class RunStreams
{
public:
    enum class Terminals : std::uint8_t { BesideUs, Everything }; ///< Everything: stdin and stdout are one

    explicit RunStreams(Terminal& terminal);
    ~RunStreams() = default;
    RunStreams(const RunStreams&) = delete;
    RunStreams& operator=(const RunStreams&) = delete;
    RunStreams(RunStreams&&) = delete;
    RunStreams& operator=(RunStreams&&) = delete;

    /// The box's ends, in the order of Started.
    void take(const ipc::Started& started, std::vector<UniqueFd> ends, Terminals terminals);
    [[nodiscard]] bool hasTerminal() const { return m_pty.isOpen(); }

    void addInterests(std::vector<pollfd>& polled) const;
    void carry(const std::vector<pollfd>& polled);
    /// Takes the caller's keys, or leaves them, as the program in the box wants it just now.
    void updateTerminal();
    /// Whether the keys may become ours without anybody telling: a pager beside us gives them back.
    [[nodiscard]] bool mayBeGivenKeys() const;

    void stopInput();
    void stopReadingOutput();
    [[nodiscard]] bool isOver() const; ///< all output has ended and was written
    [[nodiscard]] bool isWriting() const;
    /// Output could not be written where it belongs, for another reason than a reader that has gone.
    [[nodiscard]] bool hasLostOutput() const { return m_hasLostOutput; }
    /// Gives the terminal and unread input back.
    void finish();

private:
    [[nodiscard]] std::vector<Pump*> pumps() const;
    [[nodiscard]] std::vector<Pump*> outputs() const;
    [[nodiscard]] int terminalOutput() const;
    void takeTerminal();
    void takeInput();
    void giveBackUnreadInput();

    Terminal& m_terminal;
    Terminals m_terminals = Terminals::BesideUs;
    TerminalFilter m_filter;
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
    bool m_hasLostOutput = false;
};

} // namespace revet::cli
