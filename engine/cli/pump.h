// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/cli/terminal_filter.h"

#include <string>
#include <vector>

#include <poll.h>

namespace revet::cli {

/// Carries one stream from a descriptor to another without ever waiting for the other side. The descriptors
/// are the caller's. One thread.
class Pump
{
public:
    /// With a filter, what is carried passes through it.
    Pump(int from, int to, TerminalFilter* filter = nullptr);

    /// Adds what this pump waits for.
    void addInterests(std::vector<pollfd>& polled);
    /// Acts on what poll() found. The positions are those of addInterests().
    void handle(const std::vector<pollfd>& polled);

    /// Nothing more will come or be wanted, and everything that came was written.
    [[nodiscard]] bool isOver() const { return m_isOver; }
    /// The receiving side has gone: the sender should learn of it.
    [[nodiscard]] bool isRefused() const { return m_isRefused; }
    /// errno of a write that failed for another reason than a reader that has gone; 0 for none.
    [[nodiscard]] int writeProblem() const { return m_writeProblem; }
    /// Bytes that were read but not yet written.
    [[nodiscard]] std::size_t pending() const { return m_buffer.size() - m_done; }
    /// While paused nothing is read.
    void setPaused(bool isPaused) { m_isPaused = isPaused; }
    /// Puts bytes of our own into the stream.
    void insert(std::string_view bytes) { m_buffer += bytes; }
    /// Bytes to insert instead of ending when the source ends: a terminal's end of file is a key.
    void setEndMark(std::string bytes) { m_endMark = std::move(bytes); }

private:
    void carryDirectly();
    void read();
    void write();
    void refuse(int problem);

    int m_from;
    int m_to;
    TerminalFilter* m_filter;
    bool m_isDirect; ///< both ends are pipes: the kernel moves the pages
    bool m_isOutputPipe;
    bool m_isWaitingForRoom = false;
    bool m_isAtEnd = false;
    bool m_isOver = false;
    bool m_isRefused = false;
    bool m_isPaused = false;
    int m_writeProblem = 0;
    std::string m_buffer;
    std::size_t m_done = 0;
    std::string m_endMark;
    int m_readAt = -1;
    int m_writeAt = -1;
};

} // namespace revet::cli
