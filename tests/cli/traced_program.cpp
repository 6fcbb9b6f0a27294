// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/cli/traced_program.h"

#include "engine/base/argument_pointers.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

namespace revet::test {

namespace {

/// What takes room on the disk, and fails where there is none.
bool takesSpace(long call, const std::array<std::uint64_t, 6>& arguments)
{
    constexpr std::array kCalls
        = {SYS_write,   SYS_pwrite64,  SYS_writev,    SYS_pwritev,   SYS_mkdir,   SYS_mkdirat,
           SYS_symlink, SYS_symlinkat, SYS_fallocate, SYS_fsetxattr, SYS_setxattr};
    if (std::ranges::find(kCalls, call) != kCalls.end()) {
        const bool isToTerminal = call == SYS_write && arguments[0] <= STDERR_FILENO;
        return !isToTerminal;
    }
    return (call == SYS_openat && (arguments[2] & O_CREAT) != 0)
        || (call == SYS_open && (arguments[1] & O_CREAT) != 0);
}

bool changes(long call, const std::array<std::uint64_t, 6>& arguments)
{
    constexpr std::array kCalls = {
        SYS_rename,    SYS_renameat,        SYS_renameat2,   SYS_unlink,       SYS_unlinkat,  SYS_rmdir,
        SYS_link,      SYS_linkat,          SYS_fchmod,      SYS_fchmodat,     SYS_chmod,     SYS_utimensat,
        SYS_ftruncate, SYS_copy_file_range, SYS_removexattr, SYS_fremovexattr, SYS_exit_group};
    return takesSpace(call, arguments) || std::ranges::find(kCalls, call) != kCalls.end();
}

[[noreturn]] void become(const TracedCommand& command)
{
    const std::string above = command.directory.parent_path();
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
        const int file = ::open((above + (fd == STDOUT_FILENO ? "/out" : "/err")).c_str(),
                                O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (file < 0 || ::dup2(file, fd) < 0) {
            ::_exit(126);
        }
    }
    std::vector<std::string> variables{"LSAN_OPTIONS=detect_leaks=0"}; // it traces by itself, which is taken
    for (const auto& [name, value] : command.environment) {
        variables.push_back(name + '=' + value);
    }
    if (::chdir(command.directory.c_str()) == 0 && ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0) {
        ::execve(command.command.front().c_str(), argumentPointers(command.command).data(),
                 argumentPointers(variables).data());
    }
    ::_exit(127);
}

bool isProgram(pid_t pid, const std::string& program)
{
    std::error_code error;
    return std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe", error).filename()
        == program;
}

/// The call that it is about to do becomes none, and gives the error.
void refuseCall(pid_t pid, int error)
{
    user_regs_struct registers{};
    ::ptrace(PTRACE_GETREGS, pid, nullptr, &registers);
    registers.orig_rax = static_cast<unsigned long long>(-1);
    ::ptrace(PTRACE_SETREGS, pid, nullptr, &registers);
    int status = 0;
    ::ptrace(PTRACE_SYSCALL, pid, nullptr, nullptr);
    ::waitpid(pid, &status, 0);
    ::ptrace(PTRACE_GETREGS, pid, nullptr, &registers);
    registers.rax = static_cast<unsigned long long>(-error);
    ::ptrace(PTRACE_SETREGS, pid, nullptr, &registers);
}

} // namespace

TracedEnd runTraced(const TracedCommand& command)
{
    const pid_t child = ::fork();
    if (child == 0) {
        become(command);
    }
    TracedEnd end;
    int status = 0;
    bool isCounting = false;
    while (::waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        constexpr int kSyscallStop = SIGTRAP | 0x80;
        constexpr int kOptions = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC;
        long signal = 0;
        if (WSTOPSIG(status) == kSyscallStop) {
            __ptrace_syscall_info info = {};
            ::ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info);
            const bool isEntry = isCounting && info.op == PTRACE_SYSCALL_INFO_ENTRY;
            std::array<std::uint64_t, 6> arguments{};
            std::ranges::copy(info.entry.args, arguments.begin());
            const auto call = static_cast<long>(info.entry.nr);
            const bool counts
                = isEntry && (command.error == 0 ? changes(call, arguments) : takesSpace(call, arguments));
            if (counts) {
                const int number = end.calls++;
                if (command.error == 0 && number == command.at) {
                    ::kill(child, SIGKILL);
                } else if (command.error != 0 && command.at >= 0 && number >= command.at) {
                    refuseCall(child, command.error);
                }
            }
        } else if (WSTOPSIG(status) == SIGTRAP) {
            ::ptrace(PTRACE_SETOPTIONS, child, nullptr, kOptions);
            isCounting = isProgram(child, command.program);
        } else {
            signal = WSTOPSIG(status);
        }
        if (::ptrace(PTRACE_SYSCALL, child, nullptr, signal) != 0 && errno != ESRCH) {
            std::abort();
        }
    }
    end.isKilled = WIFSIGNALED(status);
    end.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return end;
}

} // namespace revet::test
