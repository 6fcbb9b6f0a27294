// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/foreground_run.h"

#include "engine/cli/message.h"
#include "engine/cli/readable.h"
#include "engine/domain/error_line.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include <unistd.h>

namespace revet::cli {

namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

/// What ends a program by itself, asks it to stop, or tells it something: all of it is for the command.
constexpr std::array kForwarded = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP};
constexpr std::size_t kSignalsAt = 0;
constexpr std::size_t kChannelAt = 1;
/// A process that left the command's group may keep the pty open for ever.
constexpr auto kQuietBeforeEnd = 100ms;
constexpr auto kLongestDrain = 2s;
constexpr int kPagerCheckMilliseconds = 100;
constexpr int kSignalStatus = 128;

UniqueFd takeSignals()
{
    sigset_t signals;
    ::sigemptyset(&signals);
    for (const int signal : kForwarded) {
        ::sigaddset(&signals, signal);
    }
    ::sigaddset(&signals, SIGWINCH);
    ::sigaddset(&signals, SIGCONT);
    // Ignored ones (nohup, background jobs of a script) stay ignored: they never reach a signalfd.
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    ::signal(SIGPIPE, SIG_IGN); // NOLINT(cert-err33-c): cannot fail for a valid signal
    return UniqueFd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

} // namespace

ForegroundRun::ForegroundRun(Terminal& terminal, Lines lines)
    : m_terminal(terminal)
    , m_lines(lines)
    , m_signals(takeSignals())
    , m_streams(terminal)
{
}

int ForegroundRun::run(const ipc::RunRequest& request)
{
    Result<api::StartedSession> started = api::startSession(request);
    if (!started) {
        complain(errorLine(started.error()));
        return kRunFailed;
    }
    m_channel = std::move(started->channel);
    m_terminals = request.terminal.stdinIsTerminal && request.terminal.stdoutIsTerminal
        ? RunStreams::Terminals::Everything
        : RunStreams::Terminals::BesideUs;
    m_isDetached = request.isDetached;
    while (!m_exitCode) {
        turnOnce();
        if (isDraining() && isDrained()) {
            m_exitCode = finish();
        }
    }
    return *m_exitCode;
}

int ForegroundRun::timeout() const
{
    if (isDraining()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(m_drainUntil - steady_clock::now());
        return m_streams.isWriting() ? -1 : static_cast<int>(std::max(left, 0ms).count());
    }
    return m_streams.mayBeGivenKeys() ? kPagerCheckMilliseconds : -1;
}

void ForegroundRun::turnOnce()
{
    m_polled.clear();
    m_polled.push_back({m_signals.get(), POLLIN, 0});
    m_polled.push_back({m_channel.fd(), POLLIN, 0}); // -1 is skipped by poll()
    m_streams.addInterests(m_polled);
    const int ready = ::poll(m_polled.data(), m_polled.size(), timeout());
    if (ready <= 0) {
        updateTerminal();
        return;
    }
    if (m_polled[kSignalsAt].revents != 0) {
        receiveSignal();
    }
    carry();
    // After the output that came before it.
    if (m_polled[kChannelAt].revents != 0 && !m_exitCode) {
        receiveMessage();
    }
}

void ForegroundRun::carry()
{
    m_streams.carry(m_polled);
    updateTerminal();
    if (isDraining()) {
        m_drainUntil = std::min(steady_clock::now() + kQuietBeforeEnd, m_readUntil);
        if (steady_clock::now() >= m_readUntil) {
            m_streams.stopReadingOutput();
        }
    }
}

void ForegroundRun::startDraining()
{
    m_drainUntil = steady_clock::now() + kQuietBeforeEnd;
    m_readUntil = steady_clock::now() + kLongestDrain;
    m_channel = {};
    m_streams.stopInput();
}

bool ForegroundRun::isDrained() const
{
    return m_streams.isOver() || (!m_streams.isWriting() && steady_clock::now() >= m_drainUntil);
}

void ForegroundRun::send(const ipc::Message& message)
{
    // A session that has gone shows when it is listened to.
    static_cast<void>(m_channel.send(ipc::encode(message)));
}

void ForegroundRun::say(std::string line)
{
    if (m_terminal.isRaw()) {
        line = '\r' + line + '\r';
    }
    line += '\n';
    static_cast<void>(::write(STDERR_FILENO, line.data(), line.size()));
}

void ForegroundRun::receiveMessage()
{
    Result<ipc::Frame> frame = m_channel.receive();
    if (!frame) {
        loseSession(frame.error());
        return;
    }
    Result<ipc::Message> message = ipc::decode(frame->bytes);
    if (!message) {
        loseSession(message.error());
    } else if (const auto* const started = std::get_if<ipc::Started>(&*message)) {
        handle(*started, std::move(frame->fds));
    } else {
        handle(*message);
    }
}

void ForegroundRun::loseSession(const Error& error)
{
    const std::string why = error.code == ErrorCode::Closed ? "its revet-session ended unexpectedly"
                                                            : "its revet-session said what makes no sense";
    m_failure = ipc::Failed{kRunFailed,
                            "run the command: " + why + "; the box ended with it, `revet ps --all` shows it"};
    startDraining();
}

void ForegroundRun::handle(const ipc::Started& started, std::vector<UniqueFd> fds)
{
    m_session = started.session;
    if (fds.size() != started.fdCount()) {
        loseSession(Error{ErrorCode::Malformed, "start", 0, {}});
        return;
    }
    if (m_lines == Lines::Shown) {
        for (const std::string& line : started.lines) {
            say(line);
        }
    }
    if (m_isDetached) {
        print(started.session.text() + '\n');
        m_exitCode = kDone;
        return;
    }
    m_streams.take(started, std::move(fds), m_terminals);
    updateTerminal();
}

void ForegroundRun::handle(const ipc::Message& message)
{
    if (std::holds_alternative<ipc::Stopped>(message)) {
        handleStop();
    } else if (const auto* const notice = std::get_if<ipc::Notice>(&message)) {
        if (m_lines == Lines::Shown) { // below what the program has written so far
            say((m_terminal.isRaw() ? "\n" : "") + notice->line);
        }
    } else if (const auto* const exited = std::get_if<ipc::Exited>(&message)) {
        m_waitStatus = exited->waitStatus;
        m_summary = exited->summary;
        m_lastLines = exited->lines;
        startDraining();
    } else if (const auto* const failed = std::get_if<ipc::Failed>(&message)) {
        m_failure = *failed;
        startDraining();
    }
}

void ForegroundRun::handleStop()
{
    m_terminal.restore();
    if (isOwnGroupOrphaned()) {
        send(ipc::Continue{}); // nobody would ever continue us: the kernel drops such a stop, too
        updateTerminal();
        return;
    }
    // The group: a pipeline stops as a whole. SIGSTOP, since SIGTSTP is blocked here and we mean it.
    ::kill(0, SIGSTOP);
}

void ForegroundRun::receiveSignal()
{
    signalfd_siginfo info = {};
    while (::read(m_signals.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
        if (info.ssi_signo == SIGWINCH) {
            const TerminalSize size = m_terminal.size();
            send(ipc::Resize{size.rows, size.columns});
        } else if (info.ssi_signo == SIGCONT) {
            comeBack();
        } else {
            forward(info.ssi_signo);
        }
    }
}

void ForegroundRun::comeBack()
{
    updateTerminal();
    const TerminalSize size = m_terminal.size();
    if (size.columns != 0) {
        send(ipc::Resize{size.rows, size.columns});
    }
    send(ipc::Continue{});
}

void ForegroundRun::forward(std::uint32_t signal)
{
    const auto number = static_cast<std::int32_t>(signal);
    if (number == SIGHUP && m_streams.hasTerminal()) {
        send(ipc::Detach{}); // the terminal has vanished: the session goes on without it
        m_exitCode = kSignalStatus + number;
    } else if (!m_session && number != SIGTSTP) {
        m_exitCode = kSignalStatus + number; // nothing runs yet; the session ends with our end of the socket
    } else {
        send(ipc::Signal{number});
    }
}

void ForegroundRun::updateTerminal()
{
    if (!isDraining()) {
        m_streams.updateTerminal();
    }
}

int ForegroundRun::finish()
{
    m_streams.finish();
    if (m_failure) {
        complain(m_failure->message);
        return m_failure->exitCode;
    }
    if (m_lines == Lines::Shown) {
        for (const std::string& line : m_lastLines) {
            say(line);
        }
    }
    if (!m_summary.empty()) {
        say(m_summary);
    }
    return m_streams.hasLostOutput() ? kRunFailed : shellStatus(*m_waitStatus);
}

} // namespace revet::cli
