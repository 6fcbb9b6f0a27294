// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/unique_fd.h"
#include "tests/support/temp_home.h"

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace revet::test {

/// A program on a terminal of its own, as its session's leader; the test is the person at the keys. Killed
/// and reaped at the end. One thread.
class PtyProgram
{
public:
    static constexpr int kPatience = 30'000; ///< ms, for a session to come up on a busy machine

    /// In the home's project and environment, with TERM=xterm; 24 rows of 80 columns.
    PtyProgram(const TempHome& home, const std::vector<std::string>& command);
    ~PtyProgram();
    PtyProgram(const PtyProgram&) = delete;
    PtyProgram& operator=(const PtyProgram&) = delete;
    PtyProgram(PtyProgram&&) = delete;
    PtyProgram& operator=(PtyProgram&&) = delete;

    void type(const std::string& keys);
    /// Reads on until the screen shows `text` after what an earlier call found; false after `milliseconds`.
    [[nodiscard]] bool shows(const std::string& text, int milliseconds = kPatience);
    void resize(unsigned short rows, unsigned short columns);
    /// The terminal goes away, as when its window is closed.
    void vanish();

    /// How it ended, as a shell says it; nothing while it runs on.
    [[nodiscard]] std::optional<int> status(int milliseconds = kPatience);
    [[nodiscard]] pid_t pid() const { return m_pid; }
    /// All that was shown, for a failure's message.
    [[nodiscard]] const std::string& output() const { return m_output; }

private:
    /// One read, or a wait of at most `milliseconds` for it.
    void read(int milliseconds);

    pid_t m_pid = -1;
    UniqueFd m_keys;
    std::string m_output;
    std::size_t m_seen = 0;
    std::optional<int> m_status;
};

} // namespace revet::test
