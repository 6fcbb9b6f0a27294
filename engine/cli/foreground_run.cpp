// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/foreground_run.h"

#include "engine/cli/message.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
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
    ::sigprocmask(SIG_BLOCK, &signals, nullptr);
    ::signal(SIGPIPE, SIG_IGN); // NOLINT(cert-err33-c): cannot fail for a valid signal
    return UniqueFd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

void setNonBlocking(int fd)
{
    const int flags = ::fcntl(fd, F_GETFL);
    ::fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

int exitStatusOf(std::int32_t waitStatus)
{
    return WIFSIGNALED(waitStatus) ? kSignalStatus + WTERMSIG(waitStatus) : WEXITSTATUS(waitStatus);
}

bool isRegularFile(int fd)
{
    struct stat status = {};
    return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

} // namespace

ForegroundRun::ForegroundRun(Terminal& terminal, Lines lines)
    : m_terminal(terminal)
    , m_lines(lines)
    , m_signals(takeSignals())
{
}

int ForegroundRun::run(const ipc::RunRequest& request)
{
    Result<api::StartedSession> started = api::startSession(request);
    if (!started) {
        complain(toLine(started.error()));
        return kRunFailed;
    }
    m_channel = std::move(started->channel);
    m_isPtyForEverything = request.terminal.stdinIsTerminal && request.terminal.stdoutIsTerminal;
    m_isDetached = request.isDetached;
    while (!m_exitCode) {
        turnOnce();
        if (isDraining() && isDrained()) {
            m_exitCode = finish();
        }
    }
    return *m_exitCode;
}

std::vector<Pump*> ForegroundRun::outputs() const
{
    return {m_ptyOutput.get(), m_output.get(), m_errors.get()};
}

std::vector<Pump*> ForegroundRun::pumps() const
{
    return {m_input.get(), m_keys.get(), m_ptyOutput.get(), m_output.get(), m_errors.get()};
}

int ForegroundRun::timeout() const
{
    if (isDraining()) {
        const bool isWriting = std::ranges::any_of(
            outputs(), [](const Pump* pump) { return pump != nullptr && pump->pending() > 0; });
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(m_drainUntil - steady_clock::now());
        return isWriting ? -1 : static_cast<int>(std::max(left, 0ms).count());
    }
    // A pager beside us may give the keys back without telling anybody.
    const bool mayBeGivenKeys = m_input && m_pty && !m_terminal.isRaw() && m_terminal.isInForeground()
        && !m_terminal.isCanonical() && ::isatty(STDIN_FILENO) == 1;
    return mayBeGivenKeys ? kPagerCheckMilliseconds : -1;
}

void ForegroundRun::turnOnce()
{
    m_polled.clear();
    m_polled.push_back({m_signals.get(), POLLIN, 0});
    m_polled.push_back({m_channel.fd(), POLLIN, 0}); // -1 is skipped by poll()
    for (Pump* const pump : pumps()) {
        if (pump != nullptr) {
            pump->addInterests(m_polled);
        }
    }
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
    for (Pump* const pump : pumps()) {
        if (pump != nullptr) {
            pump->handle(m_polled);
        }
    }
    if (m_ptyOutput) {
        updateTerminal();
    }
    // The box must learn that nobody reads: its next write gets EPIPE, as without us between.
    const auto propagate = [](const std::unique_ptr<Pump>& pump, UniqueFd& source) {
        if (pump && pump->isRefused() && source) {
            if (pump->writeProblem() != 0) {
                complain(toLine(Error::fromErrno("write the command's output", pump->writeProblem())));
            }
            source.reset();
        }
    };
    propagate(m_output, m_stdout);
    propagate(m_errors, m_stderr);
    if (m_input && m_input->isOver()) {
        m_stdin.reset(); // end of file, or the box has closed its side
    }
    if (isDraining()) {
        m_drainUntil = std::min(steady_clock::now() + kQuietBeforeEnd, m_readUntil);
        if (steady_clock::now() >= m_readUntil) {
            std::ranges::for_each(outputs(), [](Pump* pump) {
                if (pump != nullptr) {
                    pump->setPaused(true);
                }
            });
        }
    }
}

void ForegroundRun::startDraining()
{
    m_drainUntil = steady_clock::now() + kQuietBeforeEnd;
    m_readUntil = steady_clock::now() + kLongestDrain;
    m_channel = {};
    if (m_input) {
        m_input->setPaused(true);
    }
    if (m_keys) {
        m_keys->setPaused(true);
    }
}

bool ForegroundRun::isDrained() const
{
    const std::vector<Pump*> all = outputs();
    const bool isEverythingOver
        = std::ranges::all_of(all, [](const Pump* pump) { return pump == nullptr || pump->isOver(); });
    const bool isWriting
        = std::ranges::any_of(all, [](const Pump* pump) { return pump != nullptr && pump->pending() > 0; });
    return isEverythingOver || (!isWriting && steady_clock::now() >= m_drainUntil);
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
    auto next = fds.begin();
    const auto take = [&next](bool isThere) { return isThere ? std::move(*next++) : UniqueFd(); };
    m_pty = take(started.hasPty);
    m_stdin = take(started.hasStdin);
    m_stdout = take(started.hasStdout);
    m_stderr = take(started.hasStderr);
    if (m_pty) {
        setNonBlocking(m_pty.get());
        m_ptyOutput = std::make_unique<Pump>(m_pty.get(), terminalOutput(), &m_filter);
        if (m_stdin) {
            m_keys = std::make_unique<Pump>(m_terminal.fd(), m_pty.get());
        } else {
            m_input = std::make_unique<Pump>(STDIN_FILENO, m_pty.get());
            m_input->setEndMark(std::string(1, static_cast<char>(m_terminal.settings().c_cc[VEOF])));
        }
    }
    if (m_stdin) {
        if (isRegularFile(STDIN_FILENO)) {
            const std::string path = "/proc/self/fd/" + std::to_string(m_stdin.get());
            m_stdinView = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
        }
        setNonBlocking(m_stdin.get());
        m_input = std::make_unique<Pump>(STDIN_FILENO, m_stdin.get());
    }
    if (m_stdout) {
        m_output = std::make_unique<Pump>(m_stdout.get(), STDOUT_FILENO);
    }
    if (m_stderr) {
        m_errors = std::make_unique<Pump>(m_stderr.get(), STDERR_FILENO);
    }
    updateTerminal();
}

int ForegroundRun::terminalOutput() const
{
    if (::isatty(STDOUT_FILENO) == 1) {
        return STDOUT_FILENO;
    }
    return ::isatty(STDERR_FILENO) == 1 ? STDERR_FILENO : m_terminal.fd();
}

void ForegroundRun::handle(const ipc::Message& message)
{
    if (const auto* const notice = std::get_if<ipc::Notice>(&message)) {
        say(notice->line);
    } else if (std::holds_alternative<ipc::Stopped>(message)) {
        handleStop();
    } else if (const auto* const exited = std::get_if<ipc::Exited>(&message)) {
        m_waitStatus = exited->waitStatus;
        m_summary = exited->summary;
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
    if (number == SIGHUP && m_pty) {
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
    if (!m_pty || isDraining()) {
        return;
    }
    bool isWanted = m_isPtyForEverything;
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

void ForegroundRun::giveBackUnreadInput()
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

int ForegroundRun::finish()
{
    giveBackUnreadInput();
    if (const std::string reset = m_filter.restore(); !reset.empty()) {
        static_cast<void>(::write(terminalOutput(), reset.data(), reset.size()));
    }
    m_terminal.restore();
    if (m_failure) {
        complain(m_failure->message);
        return m_failure->exitCode;
    }
    if (!m_summary.empty()) {
        say(m_summary);
    }
    return exitStatusOf(*m_waitStatus);
}

} // namespace revet::cli
