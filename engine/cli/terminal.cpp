// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/terminal.h"

#include "engine/base/unique_fd.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace revet::cli {

namespace {

struct Relation
{
    pid_t parent = 0;
    pid_t group = 0;
    pid_t session = 0;
};

/// Fields 4 to 6 of /proc/PID/stat.
std::optional<Relation> relationOf(pid_t pid)
{
    const std::string path = "/proc/" + std::to_string(pid) + "/stat";
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 1024> buffer{};
    const ssize_t size = file ? ::read(file.get(), buffer.data(), buffer.size() - 1) : -1;
    if (size <= 0) {
        return std::nullopt;
    }
    // The name in parentheses may hold anything; what follows the last one is numbers.
    const char* at = std::strrchr(buffer.data(), ')');
    if (at == nullptr || std::strlen(at) < 4) {
        return std::nullopt;
    }
    char* next = nullptr;
    Relation relation;
    relation.parent = static_cast<pid_t>(std::strtol(at + 3, &next, 10));
    relation.group = static_cast<pid_t>(std::strtol(next, &next, 10));
    relation.session = static_cast<pid_t>(std::strtol(next, nullptr, 10));
    return relation;
}

} // namespace

Terminal::Terminal(int fd)
{
    if (fd >= 0 && ::tcgetattr(fd, &m_original) == 0) {
        m_fd = fd;
    }
}

std::string Terminal::settingsBytes() const
{
    std::string bytes(sizeof m_original, '\0');
    std::memcpy(bytes.data(), &m_original, sizeof m_original);
    return isThere() ? bytes : std::string();
}

TerminalSize Terminal::size() const
{
    winsize size = {};
    if (!isThere() || ::ioctl(m_fd, TIOCGWINSZ, &size) != 0) {
        return {};
    }
    return {size.ws_row, size.ws_col};
}

bool Terminal::isInForeground() const
{
    return isThere() && ::tcgetpgrp(m_fd) == ::getpgrp();
}

bool Terminal::isCanonical() const
{
    termios now{};
    return isThere() && ::tcgetattr(m_fd, &now) == 0 && (now.c_lflag & ICANON) != 0;
}

void Terminal::takeRaw()
{
    if (m_isRaw || !isInForeground()) {
        return;
    }
    // What the shell left may have changed while we were stopped.
    ::tcgetattr(m_fd, &m_original);
    termios raw = m_original;
    ::cfmakeraw(&raw);
    m_isRaw = ::tcsetattr(m_fd, TCSADRAIN, &raw) == 0;
}

void Terminal::restore()
{
    if (m_isRaw && isInForeground()) {
        ::tcsetattr(m_fd, TCSADRAIN, &m_original);
    }
    m_isRaw = false;
}

bool isOwnGroupOrphaned()
{
    const pid_t group = ::getpgrp();
    const pid_t session = ::getsid(0);
    for (pid_t pid = ::getppid(); pid > 1;) {
        const std::optional<Relation> relation = relationOf(pid);
        if (!relation || relation->session != session) {
            return true;
        }
        if (relation->group != group) {
            return false; // a shell of our session, outside our group: it will continue us
        }
        pid = relation->parent;
    }
    return true;
}

std::size_t outputColumns(int fd)
{
    winsize size = {};
    if (::isatty(fd) == 1 && ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return size.ws_col;
    }
    const char* const columns = std::getenv("COLUMNS"); // NOLINT(concurrency-mt-unsafe): one thread
    const long number = columns == nullptr ? 0 : std::strtol(columns, nullptr, 10);
    return number > 0 && number < 10000 ? static_cast<std::size_t>(number) : 0;
}

bool canColour()
{
    const char* const refusal = std::getenv("NO_COLOR"); // NOLINT(concurrency-mt-unsafe): one thread
    const char* const type = std::getenv("TERM"); // NOLINT(concurrency-mt-unsafe): one thread
    return ::isatty(STDOUT_FILENO) == 1 && (refusal == nullptr || refusal[0] == '\0')
        && (type == nullptr || std::string_view(type) != "dumb");
}

} // namespace revet::cli
