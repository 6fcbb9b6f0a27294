// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/launcher/pid_one.h"

#include "engine/launcher/command.h"
#include "engine/launcher/steps.h"
#include "engine/launcher/wire.h"
#include "engine/os/socket.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

namespace revet::launcher {

namespace {

void tell(Report::Kind kind, std::uint32_t command, std::int32_t value)
{
    Report report;
    report.kind = kind;
    report.command = command;
    report.value = value;
    if (!os::sendPacket(kInitSocket, encode(report))) {
        ::_exit(0); // nobody to report to: the box ends
    }
}

class PidOne
{
public:
    Result<void> openTerminal(const SpawnRequest& request);
    void serve(const Plan& plan);

private:
    void obey(const os::Packet& packet);
    void spawn(std::uint32_t number, const os::Packet& packet);
    void start(const SpawnRequest& request, std::uint32_t number, const os::Packet& packet);
    void reap();
    [[nodiscard]] pid_t processOf(std::uint32_t command) const;

    std::map<pid_t, std::uint32_t> m_commands;
    UniqueFd m_terminal; ///< the slave side; open for as long as the box lives
};

Result<void> PidOne::openTerminal(const SpawnRequest& request)
{
    // The box's own devpts: a master of the host's would give its programs a terminal without a name.
    const UniqueFd master(::open("/dev/pts/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
    int unlocked = 0;
    if (!master || ::ioctl(master.get(), TIOCSPTLCK, &unlocked) != 0) {
        return failErrno("make a terminal");
    }
    m_terminal.reset(::ioctl(master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
    // pid 1 leads the session. Were it the command itself, its process group would be orphaned and Ctrl-Z
    // dead.
    ::setsid();
    if (!m_terminal || ::ioctl(m_terminal.get(), TIOCSCTTY, 0) != 0) {
        return failErrno("take the terminal");
    }
    const winsize size{request.terminalRows, request.terminalColumns, 0, 0};
    ::ioctl(master.get(), TIOCSWINSZ, &size);
    if (termios settings{}; request.terminalSettings.size() == sizeof settings) {
        std::memcpy(&settings, request.terminalSettings.data(), sizeof settings);
        ::tcsetattr(m_terminal.get(), TCSANOW, &settings);
    }
    Report report;
    report.kind = Report::Kind::Terminal;
    const std::array descriptors{master.get()};
    return os::sendPacket(kInitSocket, encode(report), descriptors);
}

void PidOne::serve(const Plan& plan)
{
    sigset_t signals{};
    ::sigfillset(&signals);
    ::pthread_sigmask(SIG_SETMASK, &signals, nullptr);
    sigset_t child{};
    ::sigemptyset(&child);
    ::sigaddset(&child, SIGCHLD);
    const UniqueFd children(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!children) {
        reportFailure(kInitSocket, plan.init.back(), Error::fromErrno("watch the box's processes"));
    }
    tell(Report::Kind::Ready, 0, 0);
    std::array<pollfd, 2> sources{pollfd{kInitSocket, POLLIN, 0}, pollfd{children.get(), POLLIN, 0}};
    for (;;) {
        if (::poll(sources.data(), sources.size(), -1) < 0 && errno != EINTR) {
            return;
        }
        if ((sources[1].revents & POLLIN) != 0) {
            signalfd_siginfo info{};
            while (::read(children.get(), &info, sizeof info) > 0) { }
            reap();
        }
        if (sources[0].revents != 0) {
            const auto packet = os::receivePacket(kInitSocket, kMaximumPacketBytes);
            if (!packet) {
                return; // revet-session has gone, or speaks nonsense: the box ends either way
            }
            obey(*packet);
        }
    }
}

void PidOne::obey(const os::Packet& packet)
{
    const auto order = decodeOrder(packet.bytes);
    if (!order) {
        ::_exit(125);
    }
    switch (order->kind) {
    case Order::Kind::Spawn:
        spawn(order->command, packet);
        return;
    case Order::Kind::Signal:
        if (const pid_t process = processOf(order->command); process > 0) {
            ::kill(-process, order->value);
        }
        return;
    case Order::Kind::Continue:
        if (const pid_t process = processOf(order->command); process > 0) {
            if (m_terminal) {
                ::tcsetpgrp(m_terminal.get(), process);
            }
            ::kill(-process, SIGCONT);
        }
        return;
    }
}

void PidOne::spawn(std::uint32_t number, const os::Packet& packet)
{
    if (packet.descriptors.empty()) {
        tell(Report::Kind::ExecFailed, number, EINVAL);
        return;
    }
    const auto bytes = os::readAll(packet.descriptors.front().get(), kMaximumPlanBytes);
    const auto request = bytes ? decodeSpawnRequest(*bytes) : Result<SpawnRequest>(fail(bytes.error()));
    if (!request) {
        tell(Report::Kind::ExecFailed, number, EINVAL);
        return;
    }
    if (request->wantsTerminal && !m_terminal) {
        if (const auto opened = openTerminal(*request); !opened) {
            tell(Report::Kind::ExecFailed, number, opened.error().errnoValue);
            return;
        }
    }
    start(*request, number, packet);
}

void PidOne::start(const SpawnRequest& request, std::uint32_t number, const os::Packet& packet)
{
    CommandStart start;
    start.request = &request;
    start.number = number;
    start.terminal = m_terminal.get();
    std::size_t sent = 1;
    for (std::size_t i = 0; i < start.streams.size(); ++i) {
        const bool comes = (request.sentStreams & (1U << i)) != 0;
        if (comes && sent >= packet.descriptors.size()) {
            tell(Report::Kind::ExecFailed, number, EINVAL);
            return;
        }
        start.streams.at(i) = comes ? packet.descriptors.at(sent++).get() : m_terminal.get();
    }
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        tell(Report::Kind::ExecFailed, number, errno);
        return;
    }
    UniqueFd readEnd(ends[0]);
    UniqueFd writeEnd(ends[1]);
    start.failurePipe = writeEnd.get();
    const pid_t process = ::fork();
    if (process < 0) {
        tell(Report::Kind::ExecFailed, number, errno);
        return;
    }
    if (process == 0) {
        becomeCommand(start);
    }
    ::setpgid(process, process); // both sides, so that neither order of running matters
    m_commands.emplace(process, number);
    writeEnd.reset();
    int errnoValue = 0;
    ssize_t size = -1;
    do {
        size = ::read(readEnd.get(), &errnoValue, sizeof errnoValue); // end of file: exec succeeded
    } while (size < 0 && errno == EINTR);
    if (size == sizeof errnoValue) {
        m_commands.erase(process);
        tell(Report::Kind::ExecFailed, number, errnoValue);
    }
}

void PidOne::reap()
{
    std::vector<std::pair<std::uint32_t, int>> ended;
    pid_t process = 0;
    int status = 0;
    while ((process = ::waitpid(-1, &status, WNOHANG | WUNTRACED | __WALL)) > 0) {
        const auto known = m_commands.find(process);
        if (known == m_commands.end()) {
            continue; // an orphan that the box left to us
        }
        if (WIFSTOPPED(status)) {
            tell(Report::Kind::Stopped, known->second, WSTOPSIG(status));
            continue;
        }
        ended.emplace_back(known->second, status);
        m_commands.erase(known);
    }
    // Whoever loses its parent becomes our child, so that without one there is nobody.
    if (process < 0 && errno == ECHILD) {
        tell(Report::Kind::Empty, 0, 0);
    }
    for (const auto& [command, waitStatus] : ended) {
        tell(Report::Kind::Exited, command, waitStatus);
    }
}

pid_t PidOne::processOf(std::uint32_t command) const
{
    for (const auto& [process, number] : m_commands) {
        if (number == command) {
            return process;
        }
    }
    return -1;
}

} // namespace

void reportFailure(int socket, const Step& step, const Error& error)
{
    Report report;
    report.kind = Report::Kind::Failed;
    report.value = error.errnoValue;
    report.text = describe(step) + ": " + error.operation;
    static_cast<void>(os::sendPacket(socket, encode(report)).has_value());
    ::_exit(125);
}

void runPidOne(const Plan& plan)
{
    for (const Step& step : plan.init) {
        if (const auto done = runInitStep(step); !done) {
            reportFailure(kInitSocket, step, done.error());
        }
    }
    PidOne().serve(plan);
}

} // namespace revet::launcher
