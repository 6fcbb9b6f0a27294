// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/sandboxees/deed.h"

#include <array>
#include <charconv>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::victim {

namespace {

void writeAll(int fd, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written <= 0) {
            return;
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

} // namespace

std::string errnoName(int errnoValue)
{
    if (errnoValue == 0) {
        return "OK";
    }
    const char* const name = ::strerrorname_np(errnoValue);
    return name != nullptr ? std::string(name) : "E" + std::to_string(errnoValue);
}

void say(std::initializer_list<std::string_view> pieces)
{
    std::string line;
    for (const std::string_view piece : pieces) {
        line += piece;
    }
    line += '\n';
    writeAll(STDOUT_FILENO, line);
}

void Report::attempt(std::string_view what, int errnoValue)
{
    m_succeeded = m_succeeded || errnoValue == 0;
    say({what, " ", errnoName(errnoValue)});
}

int usage(std::string_view text)
{
    writeAll(STDERR_FILENO, "usage: ");
    writeAll(STDERR_FILENO, text);
    writeAll(STDERR_FILENO, "\n");
    return kUsage;
}

int appendText(const std::string& path, std::string_view text, int extraFlags)
{
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | extraFlags, 0755);
    if (fd < 0) {
        return errno;
    }
    const int result = outcome(::write(fd, text.data(), text.size()));
    ::close(fd);
    return result;
}

int readText(const std::string& path, std::string* text)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return errno;
    }
    std::array<char, 65536> buffer{};
    const ssize_t size = ::read(fd, buffer.data(), buffer.size());
    const int result = outcome(size);
    ::close(fd);
    if (result == 0) {
        text->assign(buffer.data(), static_cast<std::size_t>(size));
    }
    return result;
}

long numberOr(const char* text, long fallback)
{
    long value = fallback;
    const std::from_chars_result result = std::from_chars(text, text + std::strlen(text), value);
    return result.ec == std::errc() ? value : fallback;
}

} // namespace revet::victim
