// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Reaches for another process: its memory, descriptors, environment, root, and by signals.

#include "tests/sandboxees/deed.h"

#include <array>
#include <csignal>

#include <dirent.h>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

namespace victim = revet::victim;

namespace {

int openError(const std::string& path, int flags)
{
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC);
    if (fd < 0) {
        return errno;
    }
    ::close(fd);
    return 0;
}

int linkError(const std::string& path)
{
    std::array<char, 4096> target{};
    return victim::outcome(::readlink(path.c_str(), target.data(), target.size()));
}

int textError(const std::string& path)
{
    std::string text;
    const int result = victim::readText(path, &text);
    return result == 0 && text.empty() ? ENODATA : result;
}

void byProcfs(victim::Report* report, pid_t pid)
{
    const std::string base = "/proc/" + std::to_string(pid) + "/";
    report->attempt("mem-read", openError(base + "mem", O_RDONLY));
    report->attempt("mem-write", openError(base + "mem", O_RDWR));
    report->attempt("environ", textError(base + "environ"));
    report->attempt("maps", textError(base + "maps"));
    report->attempt("exe", linkError(base + "exe"));
    report->attempt("cwd", linkError(base + "cwd"));
    report->attempt("root", openError(base + "root/etc", O_RDONLY | O_DIRECTORY));
    report->attempt("fd", openError(base + "fd", O_RDONLY | O_DIRECTORY));
    report->attempt("ns-user", openError(base + "ns/user", O_RDONLY));
    report->attempt("ns-mnt", openError(base + "ns/mnt", O_RDONLY));
    report->attempt("ns-net", openError(base + "ns/net", O_RDONLY));
}

void bySystemCall(victim::Report* report, pid_t pid)
{
    report->attempt("ptrace-seize", victim::outcome(::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr)));
    static_cast<void>(::ptrace(PTRACE_DETACH, pid, nullptr, nullptr));
    std::array<char, 8> buffer{};
    iovec local{buffer.data(), buffer.size()};
    iovec remote{buffer.data(), buffer.size()};
    // The same address need not be mapped there: EFAULT says that permission was given.
    const int read = victim::outcome(::process_vm_readv(pid, &local, 1, &remote, 1, 0));
    report->attempt("vm-read", read == EFAULT ? 0 : read);
    const int written = victim::outcome(::process_vm_writev(pid, &local, 1, &remote, 1, 0));
    report->attempt("vm-write", written == EFAULT ? 0 : written);
    const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    report->attempt("pidfd-getfd", victim::outcome(::syscall(SYS_pidfd_getfd, pidfd, 0, 0)));
    constexpr int kCompareFiles = 2;
    report->attempt("kcmp", victim::outcome(::syscall(SYS_kcmp, ::getpid(), pid, kCompareFiles, 0, 0)));
    const struct rlimit* const unchanged = nullptr;
    report->attempt("prlimit",
                    victim::outcome(::syscall(SYS_prlimit64, pid, RLIMIT_NOFILE, unchanged, nullptr)));
    report->attempt("signal-0", victim::outcome(::kill(pid, 0)));
}

/// Every process that procfs shows.
int countVisible()
{
    DIR* const proc = ::opendir("/proc");
    if (proc == nullptr) {
        return -1;
    }
    int count = 0;
    // One thread only.
    while (const dirent* const entry = ::readdir(proc)) { // NOLINT(concurrency-mt-unsafe)
        count += entry->d_name[0] >= '1' && entry->d_name[0] <= '9' ? 1 : 0;
    }
    ::closedir(proc);
    return count;
}

/// Debuggers of one's own children must work.
int ownChildError()
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::pause();
        ::_exit(0);
    }
    const int result = victim::outcome(::ptrace(PTRACE_SEIZE, child, nullptr, nullptr));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    return result;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 2) {
        return victim::usage("ptrace_neighbour {parent | own | visible | PID}");
    }
    const std::string_view whom = argv[1];
    victim::Report report;
    if (whom == "visible") {
        victim::say({"visible ", std::to_string(countVisible())});
        return victim::kDone;
    }
    if (whom == "own") {
        report.attempt("own-child", ownChildError());
        return report.status();
    }
    const auto pid = whom == "parent" ? ::getppid() : static_cast<pid_t>(victim::numberOr(argv[1], 0));
    byProcfs(&report, pid);
    bySystemCall(&report, pid);
    return report.status();
}
