// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/launcher/command.h"

#include "engine/base/argument_pointers.h"
#include "engine/launcher/pid_one.h"
#include "engine/launcher/steps.h"
#include "engine/launcher/wire.h"
#include "engine/os/socket.h"
#include "engine/os/uapi.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace revet::launcher {

namespace {

constexpr int kFirstFreeDescriptor = 10; ///< above 0 to 5 and above the pipe's place
constexpr int kFailurePipePlace = 3;

[[noreturn]] void giveUp(int pipe, int errnoValue)
{
    static_cast<void>(::write(pipe, &errnoValue, sizeof errnoValue) == sizeof errnoValue);
    ::_exit(127);
}

/// Loads a filter; a listener is sent out and nothing of it stays here.
Result<void> loadFilter(const Step& step, std::uint32_t number, int socket)
{
    const std::string& bpf = step.data;
    const bool wantsListener = (step.flags & filter_flag::kListener) != 0;
    sock_fprog program{};
    program.len = static_cast<unsigned short>(bpf.size() / sizeof(sock_filter));
    // The kernel only reads it.
    program.filter = reinterpret_cast<sock_filter*>(const_cast<char*>(bpf.data()));
    // Without WAIT_KILLABLE_RECV any signal (Go's preemption, SIGCHLD) restarts the call and its question.
    // It asks for NEW_LISTENER.
    const unsigned long flags
        = wantsListener ? SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV : 0;
    const auto loaded = static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program));
    if (loaded < 0) {
        return failErrno("load a filter");
    }
    if (!wantsListener) {
        return {};
    }
    const UniqueFd listener(loaded);
    Report report;
    report.kind = Report::Kind::Listener;
    report.command = number;
    const std::array descriptors{listener.get()};
    return os::sendPacket(socket, encode(report), descriptors);
}

Result<void> runCommandStep(const Step& step, std::uint32_t number, int socket)
{
    switch (step.kind) {
    case StepKind::FreshKeyring:
        if (::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr) < 0 && errno != ENOSYS) {
            return failErrno("join a fresh session keyring");
        }
        return {};
    case StepKind::Umask:
        ::umask(static_cast<mode_t>(std::strtoul(step.data.c_str(), nullptr, 8)));
        return {};
    case StepKind::NoNewPrivileges:
        return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? Result<void>()
                                                             : failErrno("forbid new privileges");
    case StepKind::DropCapabilities:
        return dropCapabilities();
    case StepKind::LoadFilter:
        return loadFilter(step, number, socket);
    case StepKind::CloseDescriptors:
        return ::close_range(kFailurePipePlace + 1, ~0U, 0) == 0 ? Result<void>()
                                                                 : failErrno("close all descriptors");
    case StepKind::OuterNamespaces:
    case StepKind::EmptyRoot:
    case StepKind::Directory:
    case StepKind::Symlink:
    case StepKind::File:
    case StepKind::Copy:
    case StepKind::TemporaryFs:
    case StepKind::Bind:
    case StepKind::Pin:
    case StepKind::Overlay:
    case StepKind::Terminals:
    case StepKind::RemoveAtEnd:
    case StepKind::Gateway:
    case StepKind::HideHost:
    case StepKind::ShareRoot:
    case StepKind::InnerMounts:
    case StepKind::Processes:
    case StepKind::DetachHost:
    case StepKind::ReadOnly:
    case StepKind::InnerUser:
    case StepKind::OwnNamespaces:
    case StepKind::HostName:
    case StepKind::LimitNamespaces:
    case StepKind::Loopback:
    case StepKind::HideInit:
        break;
    }
    return fail(ErrorCode::Malformed, "run " + describe(step), "it is not a step of a command");
}

/// The first executable of this name on the command's own PATH; the name itself when it has a slash.
/// Only existence and the x bit are looked at, so that one exec is tried and recorded, not one a directory.
std::string findProgram(const std::string& name, const std::vector<std::string>& environment, int& errnoValue)
{
    errnoValue = ENOENT;
    if (name.empty() || name.find('/') != std::string::npos) {
        return name;
    }
    std::string_view path = "/usr/local/bin:/usr/bin:/bin";
    for (const std::string& variable : environment) {
        if (variable.starts_with("PATH=")) {
            path = std::string_view(variable).substr(5);
        }
    }
    while (true) {
        const std::size_t colon = path.find(':');
        const std::string_view directory = path.substr(0, colon);
        std::string candidate = (directory.empty() ? std::string(".") : std::string(directory)) + "/" + name;
        struct stat info
        {
        };
        if (::stat(candidate.c_str(), &info) == 0 && S_ISREG(info.st_mode)) {
            if (::access(candidate.c_str(), X_OK) == 0) {
                return candidate;
            }
            errnoValue = EACCES;
        }
        if (colon == std::string_view::npos) {
            return {};
        }
        path.remove_prefix(colon + 1);
    }
}

/// A copy above every number that is about to be taken.
int outOfTheWay(int fd, int failurePipe)
{
    const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, kFirstFreeDescriptor);
    if (copy < 0) {
        giveUp(failurePipe, errno);
    }
    return copy;
}

bool isClosed(const SpawnRequest& request, int stream)
{
    return ((request.closedStreams >> static_cast<unsigned>(stream)) & 1U) != 0;
}

/// Puts 0 to 2 and the pipe in place, safe whatever numbers they have now.
void placeDescriptors(CommandStart& start)
{
    // The pipe first: what fails after it must still be told, else pid 1 takes the end of file for success.
    start.failurePipe = outOfTheWay(start.failurePipe, start.failurePipe);
    for (int i = 0; i < 3; ++i) {
        int& stream = start.streams.at(static_cast<std::size_t>(i));
        stream = isClosed(*start.request, i) ? -1 : outOfTheWay(stream, start.failurePipe);
    }
    for (int i = 0; i < 3; ++i) {
        if (!isClosed(*start.request, i) && ::dup2(start.streams.at(static_cast<std::size_t>(i)), i) < 0) {
            giveUp(start.failurePipe, errno);
        }
    }
}

} // namespace

void becomeCommand(const CommandStart& given)
{
    CommandStart start = given;
    const SpawnRequest& request = *start.request;
    // Its own foreground process group; SIGTTOU is still blocked here, so tcsetpgrp() does not stop us.
    ::setpgid(0, 0);
    if (start.terminal >= 0) {
        ::tcsetpgrp(start.terminal, ::getpid());
    }
    placeDescriptors(start);
    const int socket = outOfTheWay(kInitSocket, start.failurePipe);
    if (::dup3(start.failurePipe, kFailurePipePlace, O_CLOEXEC) < 0) {
        giveUp(start.failurePipe, errno);
    }
    for (int number = 1; number < NSIG; ++number) {
        const bool isIgnored = ((request.ignoredSignals >> static_cast<unsigned>(number - 1)) & 1U) != 0;
        static_cast<void>(::signal(number, isIgnored ? SIG_IGN : SIG_DFL)); // two of them cannot be changed
    }
    sigset_t none{};
    ::sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
    if (::chdir(request.workingDirectory.c_str()) != 0) {
        giveUp(kFailurePipePlace, errno);
    }
    for (const Step& step : request.steps) {
        if (const auto done = runCommandStep(step, start.number, socket); !done) {
            reportFailure(socket, step, done.error());
        }
    }
    // From here on the supervisor must be able to read our memory (the path given to execve); nothing is left
    // in this process that the command will not have anyway.
    ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);

    int errnoValue = 0;
    const std::string program = findProgram(request.argv.front(), request.environment, errnoValue);
    if (program.empty()) {
        giveUp(kFailurePipePlace, errnoValue);
    }
    // Last, so that nothing of ours gets the number.
    for (int i = 0; i < 3; ++i) {
        if (isClosed(request, i)) {
            ::close(i);
        }
    }
    std::vector<char*> argv = argumentPointers(request.argv);
    std::vector<char*> environment = argumentPointers(request.environment);
    ::execve(program.c_str(), argv.data(), environment.data());
    if (errno == ENOEXEC) { // a script without "#!": what a shell does with it
        std::string script = program;
        argv.front() = script.data();
        argv.insert(argv.begin(), const_cast<char*>("sh"));
        ::execve("/bin/sh", argv.data(), environment.data());
    }
    giveUp(kFailurePipePlace, errno);
}

} // namespace revet::launcher
