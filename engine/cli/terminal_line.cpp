// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/terminal_line.h"

#include "engine/cli/message.h"

#include <array>
#include <cerrno>

#include <termios.h>
#include <unistd.h>

namespace revet::cli {

std::optional<std::string> readTerminalLine()
{
    std::array<char, 256> buffer{};
    ssize_t size = 0;
    do {
        size = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    } while (size < 0 && errno == EINTR);
    return size > 0 ? std::optional(std::string(buffer.data(), static_cast<std::size_t>(size)))
                    : std::nullopt;
}

bool canConfirm()
{
    return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
}

bool confirm(const std::string& question)
{
    ::tcflush(STDIN_FILENO, TCIFLUSH);
    printToErrors(question + " [y/N] ");
    const std::optional<std::string> line = readTerminalLine();
    return line == "y\n" || line == "yes\n";
}

} // namespace revet::cli
