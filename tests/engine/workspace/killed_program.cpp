// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/engine/workspace/killed_program.h"

#include "engine/base/argument_pointers.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace revet::test {

KilledProgram runAndKill(const std::vector<std::string>& command, int after)
{
    const std::vector<char*> arguments = argumentPointers(command);
    const auto program = [&] {
        ::execv(arguments.front(), arguments.data());
        ::_exit(127);
    };
    return runAndKill(program, after);
}

KilledProgram runAndKill(const std::function<void()>& program, int after)
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
        ::setenv("LSAN_OPTIONS", "detect_leaks=0", 1); // it traces by itself, which is taken
        ::raise(SIGSTOP);
        program();
        ::_exit(0);
    }
    KilledProgram end;
    int status = 0;
    bool isStarted = false;
    int stops = 0;
    while (::waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        constexpr int kSyscallStop = SIGTRAP | 0x80;
        if (WSTOPSIG(status) == SIGSTOP) {
            ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
        } else if (WSTOPSIG(status) == kSyscallStop) {
            __ptrace_syscall_info info = {};
            ::ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info);
            const bool isEntry = info.op == PTRACE_SYSCALL_INFO_ENTRY;
            isStarted = isStarted || (isEntry && info.entry.nr == SYS_getppid);
            if (isStarted && isEntry && stops++ == after) {
                ::kill(child, SIGKILL);
            }
        }
        if (::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) != 0 && errno != ESRCH) {
            std::abort();
        }
    }
    end.isKilled = WIFSIGNALED(status);
    end.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return end;
}

} // namespace revet::test
