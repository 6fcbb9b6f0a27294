// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>

#include <termios.h>
#include <unistd.h>

namespace revet::cli {

struct TerminalSize
{
    std::uint16_t rows = 0;
    std::uint16_t columns = 0;
};

/// The person's terminal, on a descriptor that is not ours to close. Restored when the object goes.
class Terminal
{
public:
    /// -1 for none.
    explicit Terminal(int fd);
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;
    Terminal(Terminal&&) = delete;
    Terminal& operator=(Terminal&&) = delete;
    ~Terminal() { restore(); }

    [[nodiscard]] bool isThere() const { return m_fd >= 0; }
    [[nodiscard]] int fd() const { return m_fd; }
    [[nodiscard]] const termios& settings() const { return m_original; }
    [[nodiscard]] std::string settingsBytes() const;
    [[nodiscard]] TerminalSize size() const;

    /// Every key goes to the box as it is. Does nothing in the background, where it would stop us.
    void takeRaw();
    void restore();
    [[nodiscard]] bool isRaw() const { return m_isRaw; }
    [[nodiscard]] bool isInForeground() const;
    /// Whether lines are still put together by the terminal: not when a pager beside us took its keys.
    [[nodiscard]] bool isCanonical() const;

private:
    int m_fd = -1;
    termios m_original{};
    bool m_isRaw = false;
};

/// Whether nobody would ever continue our process group once it is stopped: its members' parents are all in
/// the group or in another session (POSIX: orphaned).
[[nodiscard]] bool isOwnGroupOrphaned();

/// Columns of the terminal that `fd` leads to, or of COLUMNS; 0 when lines need not fit anything.
[[nodiscard]] std::size_t outputColumns(int fd = STDOUT_FILENO);
/// Standard output is a terminal that may be coloured: NO_COLOR is unset and TERM is not "dumb".
[[nodiscard]] bool canColour();

} // namespace revet::cli
