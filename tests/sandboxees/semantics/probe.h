// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "tests/sandboxees/deed.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/// Probes of what must look the same in a box as bare: what each call answers and what it leaves behind. All
/// of them work in the current directory, which is empty at the start; the groups run in one order and build
/// on what the earlier ones made.
namespace revet::victim::semantics {

inline void check(std::string_view name, long result)
{
    say({name, " ", errnoName(outcome(result))});
}

inline void value(std::string_view name, long number)
{
    say({name, " = ", std::to_string(number)});
}

/// Permission bits of what `path` names, in octal as people read them; -1 where there is nothing.
inline void mode(std::string_view name, const std::string& path)
{
    struct stat status = {};
    constexpr unsigned kPermissions = 07777;
    if (::lstat(path.c_str(), &status) != 0) {
        say({name, " = ", errnoName(errno)});
        return;
    }
    std::string octal;
    for (unsigned left = status.st_mode & kPermissions; left != 0; left /= 8) {
        octal.insert(octal.begin(), static_cast<char>('0' + left % 8));
    }
    say({name, " = ", octal.empty() ? "0" : octal});
}

/// Opens, checks and closes.
inline void checkOpen(std::string_view name, const std::string& path, int flags, mode_t permissions = 0666)
{
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC, permissions);
    check(name, fd);
    if (fd >= 0) {
        ::close(fd);
    }
}

void probeCreation();
void probeNames();
void probeMetadata();
void probeSpecialFiles();
void probeLimits();

} // namespace revet::victim::semantics
