// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/support/kernel_gate.h"

#include <cerrno>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace revet::test {

namespace {

// Linux 5.19; Debian 12's headers are 6.1 and have it, older ones do not.
constexpr unsigned long kWaitKillableRecv = 1UL << 5U;

// The probes run between fork() and _exit() of a process with threads: system calls on ready bytes only.
// Each returns 0 or the errno of the step that failed.

int writeProcFile(const char* path, std::string_view text)
{
    const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return errno;
    }
    const int result = ::write(fd, text.data(), text.size()) < 0 ? errno : 0;
    ::close(fd);
    return result;
}

struct IdMaps
{
    std::string_view user;
    std::string_view group;
};

int probeUserNamespaces(IdMaps maps)
{
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC) != 0) {
        return errno;
    }
    // setgroups first: user_namespaces(7) lets an ordinary user write gid_map only then.
    if (const int error = writeProcFile("/proc/self/setgroups", "deny")) {
        return error;
    }
    if (const int error = writeProcFile("/proc/self/uid_map", maps.user)) {
        return error;
    }
    if (const int error = writeProcFile("/proc/self/gid_map", maps.group)) {
        return error;
    }
    // Ubuntu's AppArmor restriction grants the namespace and then withholds its capabilities: a mount shows.
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0
        || ::mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, nullptr) != 0) {
        return errno;
    }
    return 0;
}

int probeOverlay(IdMaps maps)
{
    if (const int error = probeUserNamespaces(maps)) {
        return error;
    }
    for (const char* directory : {"/tmp/lower", "/tmp/upper", "/tmp/work", "/tmp/merged"}) {
        if (::mkdir(directory, 0700) != 0) {
            return errno;
        }
    }
    return ::mount("overlay", "/tmp/merged", "overlay", 0,
                   "userxattr,lowerdir=/tmp/lower,upperdir=/tmp/upper,workdir=/tmp/work")
            == 0
        ? 0
        : errno;
}

int probeSeccompNotify()
{
    sock_filter allow{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    const sock_fprog program{1, &allow};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return errno;
    }
    const long listener = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                                    SECCOMP_FILTER_FLAG_NEW_LISTENER | kWaitKillableRecv, &program);
    return listener < 0 ? errno : 0;
}

int probeLandlock()
{
    const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return abi < 0 ? errno : 0;
}

int probe(KernelFeature feature, IdMaps maps)
{
    switch (feature) {
    case KernelFeature::UserNamespaces:
        return probeUserNamespaces(maps);
    case KernelFeature::Overlay:
        return probeOverlay(maps);
    case KernelFeature::SeccompNotify:
        return probeSeccompNotify();
    case KernelFeature::Landlock:
        return probeLandlock();
    }
    return EINVAL;
}

const char* name(KernelFeature feature)
{
    switch (feature) {
    case KernelFeature::UserNamespaces:
        return "user namespaces for ordinary users";
    case KernelFeature::Overlay:
        return "overlayfs in a user namespace";
    case KernelFeature::SeccompNotify:
        return "seccomp user notification with WAIT_KILLABLE_RECV";
    case KernelFeature::Landlock:
        return "Landlock";
    }
    return "?";
}

} // namespace

std::string whyMissing(KernelFeature feature)
{
    const auto identity = [](unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1\n"; };
    const std::string users = identity(::getuid());
    const std::string groups = identity(::getgid());
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(probe(feature, {users, groups}));
    }
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child) {
        return std::string("cannot try ") + name(feature) + ": " + std::generic_category().message(errno);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return {};
    }
    return std::string("needs ") + name(feature) + ": "
        + (WIFEXITED(status) ? std::generic_category().message(WEXITSTATUS(status)) : "the probe was killed");
}

std::string whyNoProgram(const std::string& name)
{
    // Not $PATH: a box has these places, and a test that finds ~/bin proves nothing about it.
    for (const char* directory :
         {"/usr/local/bin/", "/usr/bin/", "/bin/", "/usr/local/sbin/", "/usr/sbin/", "/sbin/"}) {
        if (::access((directory + name).c_str(), X_OK) == 0) {
            return {};
        }
    }
    return "needs the program " + name + " (packaging/setup --all)";
}

std::string whyNotOrdinaryUser()
{
    return ::getuid() == 0 ? "needs an ordinary user: Revet refuses to run as root" : "";
}

bool mustWork()
{
    return qgetenv("REVET_MUST_WORK") == "1";
}

} // namespace revet::test
