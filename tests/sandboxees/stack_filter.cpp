// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Stacks seccomp filters of its own on the box's and sees whether that lets a call through that was refused.

#include "tests/sandboxees/deed.h"

#include <array>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace victim = revet::victim;

namespace {

/// One filter that gives `action` for `number` and lets everything else be.
long install(long number, unsigned action, unsigned flags)
{
    std::array<sock_filter, 4> code{{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    }};
    sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

/// In a child, since filters cannot be taken off again.
void stacked(victim::Report* report, const std::string& name, unsigned action, const std::string& path)
{
    const pid_t child = ::fork();
    if (child == 0) {
        const int installed = victim::outcome(install(SYS_openat, action, 0));
        victim::say({"install ", name, " ", victim::errnoName(installed)});
        ::_exit(victim::appendText(path, "REVET-CANARY\n"));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
        victim::say({"write under ", name, " killed"});
        return;
    }
    // What the inner filter fakes is no success: the test looks whether the file is there.
    report->attempt("write under " + name, WEXITSTATUS(status));
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 2) {
        return victim::usage("stack_filter FORBIDDEN-PATH");
    }
    const std::string path = argv[1];
    victim::Report report;
    stacked(&report, "allow", SECCOMP_RET_ALLOW, path);
    stacked(&report, "log", SECCOMP_RET_LOG, path);
    stacked(&report, "trace", SECCOMP_RET_TRACE, path);
    stacked(&report, "errno", SECCOMP_RET_ERRNO | EXDEV, path);
    stacked(&report, "notify", SECCOMP_RET_USER_NOTIF, path);
    const long listener = install(SYS_openat, SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER);
    report.attempt("listener", victim::outcome(listener));
    return report.status();
}
