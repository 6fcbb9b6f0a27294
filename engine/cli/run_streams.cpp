// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/run_streams.h"

#include "engine/cli/message.h"
#include "engine/domain/error_line.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::cli {

namespace {

void setNonBlocking(int fd)
{
    const int flags = ::fcntl(fd, F_GETFL);
    ::fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

bool isRegularFile(int fd)
{
    struct stat status = {};
    return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

} // namespace

RunStreams::RunStreams(Terminal& terminal)
    : m_terminal(terminal)
{
}

void RunStreams::take(const ipc::Started& started, std::vector<UniqueFd> ends, Terminals terminals)
{
    m_terminals = terminals;
    auto next = ends.begin();
    const auto take = [&next](bool isThere) { return isThere ? std::move(*next++) : UniqueFd(); };
    m_pty = take(started.hasPty);
    m_stdin = take(started.hasStdin);
    m_stdout = take(started.hasStdout);
    m_stderr = take(started.hasStderr);
    if (m_pty) {
        takeTerminal();
    }
    if (m_stdin) {
        takeInput();
    }
    if (m_stdout) {
        m_output = std::make_unique<Pump>(m_stdout.get(), STDOUT_FILENO);
    }
    if (m_stderr) {
        m_errors = std::make_unique<Pump>(m_stderr.get(), STDERR_FILENO);
    }
}

void RunStreams::takeTerminal()
{
    setNonBlocking(m_pty.get());
    m_ptyOutput = std::make_unique<Pump>(m_pty.get(), terminalOutput(), &m_filter);
    if (m_stdin || ::isatty(STDIN_FILENO) != 1) { // that is a file, a pipe or closed
        m_keys = std::make_unique<Pump>(m_terminal.fd(), m_pty.get());
    } else {
        m_input = std::make_unique<Pump>(STDIN_FILENO, m_pty.get());
        m_input->setEndMark(std::string(1, static_cast<char>(m_terminal.settings().c_cc[VEOF])));
    }
}

void RunStreams::takeInput()
{
    if (isRegularFile(STDIN_FILENO)) {
        const std::string path = "/proc/self/fd/" + std::to_string(m_stdin.get());
        m_stdinView = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    }
    setNonBlocking(m_stdin.get());
    m_input = std::make_unique<Pump>(STDIN_FILENO, m_stdin.get());
}

std::vector<Pump*> RunStreams::outputs() const
{
    return {m_ptyOutput.get(), m_output.get(), m_errors.get()};
}

std::vector<Pump*> RunStreams::pumps() const
{
    return {m_input.get(), m_keys.get(), m_ptyOutput.get(), m_output.get(), m_errors.get()};
}

int RunStreams::terminalOutput() const
{
    if (::isatty(STDOUT_FILENO) == 1) {
        return STDOUT_FILENO;
    }
    return ::isatty(STDERR_FILENO) == 1 ? STDERR_FILENO : m_terminal.fd();
}

void RunStreams::addInterests(std::vector<pollfd>& polled) const
{
    for (Pump* const pump : pumps()) {
        if (pump != nullptr) {
            pump->addInterests(polled);
        }
    }
}

void RunStreams::carry(const std::vector<pollfd>& polled)
{
    for (Pump* const pump : pumps()) {
        if (pump != nullptr) {
            pump->handle(polled);
        }
    }
    // The box must learn that nobody reads: its next write gets EPIPE, as without us between.
    const auto propagate = [this](const std::unique_ptr<Pump>& pump, UniqueFd& source) {
        if (pump && pump->isRefused() && source) {
            if (pump->writeProblem() != 0) {
                complain(errorLine(Error::fromErrno("write the command's output", pump->writeProblem())));
                m_hasLostOutput = true;
            }
            source.reset();
        }
    };
    propagate(m_output, m_stdout);
    propagate(m_errors, m_stderr);
    if (m_input && m_input->isOver()) {
        m_stdin.reset(); // end of file, or the box has closed its side
    }
}

void RunStreams::updateTerminal()
{
    if (!m_pty) {
        return;
    }
    bool isWanted = m_terminals == Terminals::Everything;
    if (!isWanted) {
        // Beside other programs of a pipeline the terminal stays as it is, until a program in the box reads
        // keys rather than lines.
        termios inner{};
        isWanted = ::tcgetattr(m_pty.get(), &inner) == 0 && (inner.c_lflag & ICANON) == 0;
    }
    if (isWanted) {
        m_terminal.takeRaw();
    } else {
        m_terminal.restore();
    }
    const bool isForeground = m_terminal.isInForeground();
    if (m_keys) {
        m_keys->setPaused(!isForeground || !m_terminal.isRaw());
    } else if (m_input) {
        // Lines are ours unless a pager beside us has taken the keys.
        m_input->setPaused(!isForeground || (!m_terminal.isRaw() && !m_terminal.isCanonical()));
    }
}

bool RunStreams::mayBeGivenKeys() const
{
    return m_input && m_pty && !m_terminal.isRaw() && m_terminal.isInForeground() && !m_terminal.isCanonical()
        && ::isatty(STDIN_FILENO) == 1;
}

void RunStreams::stopInput()
{
    for (Pump* const pump : {m_input.get(), m_keys.get()}) {
        if (pump != nullptr) {
            pump->setPaused(true);
        }
    }
}

void RunStreams::stopReadingOutput()
{
    for (Pump* const pump : outputs()) {
        if (pump != nullptr) {
            pump->setPaused(true);
        }
    }
}

bool RunStreams::isOver() const
{
    return std::ranges::all_of(outputs(), [](const Pump* pump) { return pump == nullptr || pump->isOver(); });
}

bool RunStreams::isWriting() const
{
    return std::ranges::any_of(outputs(),
                               [](const Pump* pump) { return pump != nullptr && pump->pending() > 0; });
}

void RunStreams::giveBackUnreadInput()
{
    // A loop that reads a list and runs us for each line shares the file's position with us.
    if (!m_stdinView || !m_input) {
        return;
    }
    int unread = 0;
    if (::ioctl(m_stdinView.get(), FIONREAD, &unread) == 0) {
        const auto back = static_cast<off_t>(unread) + static_cast<off_t>(m_input->pending());
        ::lseek(STDIN_FILENO, -back, SEEK_CUR);
    }
}

void RunStreams::finish()
{
    giveBackUnreadInput();
    if (const std::string reset = m_filter.restore(); !reset.empty()) {
        static_cast<void>(::write(terminalOutput(), reset.data(), reset.size()));
    }
    m_terminal.restore();
}

} // namespace revet::cli
