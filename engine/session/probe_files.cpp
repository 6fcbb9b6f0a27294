// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/probe.h"

#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <semaphore.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

namespace revet::probe {

namespace {

constexpr const char* kHook = "#!/bin/sh\necho planted\n";

Outcome canaryBelow(const std::string& root, const HostFacts& facts)
{
    std::string text;
    return refused(readFile(root + facts.outside + "/canary", text), {ENOENT, ENOTDIR, EACCES, EPERM});
}

Outcome canary(const HostFacts& facts)
{
    // EACCES would tell that there is something.
    std::string text;
    return refused(readFile(facts.outside + "/canary", text), {ENOENT});
}

Outcome canaryByOwnRoot(const HostFacts& facts)
{
    return canaryBelow("/proc/self/root", facts);
}

Outcome canaryByRootOfPidOne(const HostFacts& facts)
{
    return canaryBelow("/proc/1/root", facts);
}

Outcome hostTree(const HostFacts& facts)
{
    // Where the host's tree lies while a box is built.
    return canaryBelow("/old/host", facts);
}

Outcome writeOutside(const HostFacts& facts)
{
    for (const std::string& path : {std::string("/planted"), std::string("/etc/planted"),
                                    std::string("/var/planted"), facts.outside + "/planted"}) {
        const int result = createFile(path, "planted");
        const bool isInHome = path.starts_with(facts.outside);
        // The private home holds the directories above the project; the doctor looks at the host's own.
        if (result == 0 && isInHome) {
            continue;
        }
        if (Outcome outcome = refused(result, {EROFS, EACCES, EPERM, ENOENT});
            outcome.kind != Outcome::Kind::Ok) {
            return outcome;
        }
    }
    return ok("refused");
}

Outcome writeUsr(const HostFacts&)
{
    return refused(createFile("/usr/planted", "planted"), {EROFS, EACCES, EPERM});
}

Outcome projectIsReadOnly(const HostFacts& facts)
{
    if (facts.isLayered) {
        return ok("a layer, the project itself is below it");
    }
    struct statvfs info
    {
    };
    if (::statvfs(facts.project.c_str(), &info) != 0) {
        return failed("inconclusive: " + errnoName(errno));
    }
    return (info.f_flag & ST_RDONLY) != 0 ? ok("only the supervisor can write")
                                          : failed("the box itself can write, unseen");
}

Outcome writeProject(const HostFacts& facts)
{
    const std::string path = facts.project + "/written";
    std::string text;
    int result = createFile(path, "written");
    if (result == 0) {
        result = readFile(path, text);
    }
    return result == 0 && text != "written" ? failed("other content came back")
                                            : worked(result, "a file is made and read");
}

Outcome executeInTmp(const HostFacts&)
{
    const char* const path = "/tmp/revet-probe-copy";
    std::string program;
    const int source = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    const int copy = ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    std::array<char, 65536> buffer{};
    ssize_t size = 0;
    while ((size = ::read(source, buffer.data(), buffer.size())) > 0) {
        if (::write(copy, buffer.data(), static_cast<std::size_t>(size)) != size) {
            return failed("write: " + errnoName(errno));
        }
    }
    ::close(copy);
    const pid_t child = ::fork();
    if (child == 0) {
        ::execl(path, path, "nothing", nullptr);
        ::_exit(errno);
    }
    int status = 0;
    if (size < 0 || child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
        return failed("inconclusive: " + errnoName(errno));
    }
    return worked(WEXITSTATUS(status), "a program made in /tmp runs");
}

Outcome semaphore(const HostFacts&)
{
    const char* const name = "/revet-probe";
    sem_t* const semaphore = ::sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    if (semaphore == SEM_FAILED) {
        return failed("make: " + errnoName(errno));
    }
    const pid_t child = ::fork();
    if (child == 0) {
        ::sem_post(semaphore);
        ::_exit(0);
    }
    const int result = outcomeOf(::sem_wait(semaphore));
    ::sem_unlink(name);
    return worked(result, "two processes share one in /dev/shm");
}

Outcome plantHook(const HostFacts& facts)
{
    const int result = createFile(facts.project + "/.git/hooks/pre-commit", kHook);
    return facts.isLayered ? worked(result, "lands in the layer") : refused(result, {EACCES, EPERM, EROFS});
}

Outcome plantHookBehindRename(const HostFacts& facts)
{
    const std::string git = facts.project + "/.git";
    const std::string aside = facts.project + "/.git-aside";
    const int renamed = outcomeOf(::rename(git.c_str(), aside.c_str()));
    if (renamed != 0) {
        return facts.isLayered ? worked(renamed, "rename .git") : refused(renamed, {EACCES, EPERM, EBUSY});
    }
    int result = outcomeOf(::mkdir(git.c_str(), 0755));
    if (result == 0) {
        result = outcomeOf(::mkdir((git + "/hooks").c_str(), 0755));
    }
    if (result == 0) {
        result = createFile(git + "/hooks/post-checkout", kHook);
    }
    return facts.isLayered ? worked(result, "lands in the layer")
                           : refused(result, {EACCES, EPERM, EBUSY, EROFS});
}

constexpr std::array kProbes = {
    Probe{"canary in HOME", canary},
    Probe{"canary through /proc/self/root", canaryByOwnRoot},
    Probe{"canary through /proc/1/root", canaryByRootOfPidOne},
    Probe{"canary through the host's tree", hostTree},
    Probe{"write outside the project", writeOutside},
    Probe{"write to /usr", writeUsr},
    Probe{"project is out of direct reach", projectIsReadOnly},
    Probe{"write in the project works", writeProject},
    Probe{"program in /tmp works", executeInTmp},
    Probe{"shared memory works", semaphore},
    Probe{"plant a git hook", plantHook},
    Probe{"rename .git and plant a hook", plantHookBehindRename},
};

} // namespace

std::span<const Probe> fileProbes()
{
    return kProbes;
}

} // namespace revet::probe
