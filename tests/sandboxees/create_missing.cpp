// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Makes a name that is not there, in every way in which a name can come to be. Parents are made as needed.

#include "tests/sandboxees/deed.h"

#include <array>
#include <span>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace victim = revet::victim;

namespace {

constexpr std::string_view kPayload = "REVET-CANARY\n";

void makeParents(const std::string& path)
{
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
        static_cast<void>(::mkdir(path.substr(0, slash).c_str(), 0755));
    }
}

/// A source of the payload beside the work, new each time, for the ways that need one.
std::string source()
{
    std::string name = "create-missing-source";
    static_cast<void>(::unlink(name.c_str()));
    static_cast<void>(victim::appendText(name, kPayload));
    return name;
}

int byAnonymousFile(const std::string& path)
{
    const int fd = ::open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0755);
    if (fd < 0) {
        return errno;
    }
    static_cast<void>(::write(fd, kPayload.data(), kPayload.size()));
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    const int result
        = victim::outcome(::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW));
    ::close(fd);
    return result;
}

int byExchange(const std::string& path)
{
    // Both names must exist, so the victim's own is made in the way that is most likely to be let through.
    return victim::outcome(::renameat2(AT_FDCWD, source().c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE));
}

int byDirectoryRename(const std::string& path)
{
    const std::string harmless = "create-missing-tree";
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) {
        return ENOTSUP;
    }
    static_cast<void>(::mkdir(harmless.c_str(), 0755));
    const int written = victim::appendText(harmless + path.substr(slash), kPayload);
    static_cast<void>(::rmdir(path.substr(0, slash).c_str()));
    const int renamed = victim::outcome(::rename(harmless.c_str(), path.substr(0, slash).c_str()));
    return written != 0 ? written : renamed;
}

using Way = int (*)(const std::string&);

constexpr std::array<std::pair<std::string_view, Way>, 11> kWays{{
    {"open", [](const std::string& path) { return victim::appendText(path, kPayload); }},
    {"exclusive", [](const std::string& path) { return victim::appendText(path, kPayload, O_EXCL); }},
    {"directory", [](const std::string& path) { return victim::outcome(::mkdir(path.c_str(), 0755)); }},
    {"symlink",
     [](const std::string& path) { return victim::outcome(::symlink(source().c_str(), path.c_str())); }},
    {"fifo", [](const std::string& path) { return victim::outcome(::mkfifo(path.c_str(), 0644)); }},
    {"node",
     [](const std::string& path) { return victim::outcome(::mknod(path.c_str(), S_IFREG | 0644, 0)); }},
    {"link", [](const std::string& path) { return victim::outcome(::link(source().c_str(), path.c_str())); }},
    {"rename",
     [](const std::string& path) { return victim::outcome(::rename(source().c_str(), path.c_str())); }},
    {"exchange", byExchange},
    {"anonymous", byAnonymousFile},
    {"tree", byDirectoryRename},
}};

} // namespace

int main(int argc, char** argv)
{
    const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
    if (argc != 3) {
        return victim::usage("create_missing {all|WAY} PATH");
    }
    const std::string_view wanted = arguments[1];
    const std::string path = arguments[2];
    victim::Report report;
    for (const auto& [name, way] : kWays) {
        if (wanted != "all" && wanted != name) {
            continue;
        }
        makeParents(path);
        report.attempt(name, way(path));
        // The next way needs the name free again; a test that wants to see what is left asks for one way.
        if (wanted == "all") {
            static_cast<void>(::unlink(path.c_str()));
            static_cast<void>(::rmdir(path.c_str()));
        }
    }
    return report.status();
}
