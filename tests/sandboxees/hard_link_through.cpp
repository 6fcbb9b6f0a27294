// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Writes through a name that shares its inode with a file elsewhere, and tries to make such a name.

#include "tests/sandboxees/deed.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace victim = revet::victim;

namespace {

constexpr std::string_view kPayload = "PWNED";

int byMapping(const std::string& path)
{
    const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        return errno;
    }
    void* const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED) {
        const int result = errno;
        ::close(fd);
        return result;
    }
    *static_cast<char*>(page) = 'P';
    ::munmap(page, 4096);
    ::close(fd);
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 3) {
        return victim::usage("hard_link_through EXISTING OUTSIDE");
    }
    const std::string existing = argv[1];
    victim::Report report;
    report.attempt("append", victim::appendText(existing, kPayload));
    report.attempt("map", byMapping(existing));
    report.attempt("chmod", victim::outcome(::fchmodat(AT_FDCWD, existing.c_str(), 0777, 0)));
    report.attempt("truncate", victim::outcome(::truncate(existing.c_str(), 1)));
    report.attempt("overwrite", victim::appendText(existing, kPayload, O_TRUNC));
    victim::Report making;
    making.attempt("new-link", victim::outcome(::link(argv[2], "hard-link-new")));
    making.attempt(
        "new-link-follow",
        victim::outcome(::linkat(AT_FDCWD, argv[2], AT_FDCWD, "hard-link-new2", AT_SYMLINK_FOLLOW)));
    return report.status();
}
