// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/cli/pump.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace revet::cli {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{64} * 1024;
constexpr short kGone = POLLERR | POLLNVAL;

bool isPipe(int fd)
{
    struct stat status = {};
    return ::fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

bool mayComeLater(int problem)
{
    return problem == EAGAIN || problem == EINTR;
}

} // namespace

Pump::Pump(int from, int to, TerminalFilter* filter)
    : m_from(from)
    , m_to(to)
    , m_filter(filter)
    , m_isDirect(filter == nullptr && isPipe(from) && isPipe(to))
    , m_isOutputPipe(isPipe(to))
{
}

void Pump::addInterests(std::vector<pollfd>& polled)
{
    m_readAt = -1;
    m_writeAt = -1;
    if (m_isOver) {
        return;
    }
    if (pending() > 0 || m_isWaitingForRoom) {
        m_writeAt = static_cast<int>(polled.size());
        polled.push_back({m_to, POLLOUT, 0});
    } else if (!m_isAtEnd && !m_isPaused) {
        m_readAt = static_cast<int>(polled.size());
        polled.push_back({m_from, POLLIN, 0});
    }
}

void Pump::handle(const std::vector<pollfd>& polled)
{
    if (m_writeAt >= 0) {
        const short found = polled[static_cast<std::size_t>(m_writeAt)].revents;
        if (found != 0) {
            m_isWaitingForRoom = false;
            if (pending() > 0) {
                write();
            } else if ((found & kGone) != 0) {
                refuse(EPIPE);
            }
        }
    } else if (m_readAt >= 0 && polled[static_cast<std::size_t>(m_readAt)].revents != 0) {
        if (m_isDirect && pending() == 0) {
            carryDirectly();
        } else {
            read();
        }
    }
    if (m_isAtEnd && pending() == 0) {
        m_isOver = true;
    }
}

void Pump::carryDirectly()
{
    const ssize_t moved
        = ::splice(m_from, nullptr, m_to, nullptr, kChunkBytes, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
    if (moved > 0) {
        return;
    }
    if (moved == 0) {
        m_isAtEnd = true;
    } else if (errno == EAGAIN) {
        m_isWaitingForRoom = true; // the source was ready
    } else if (errno == EINVAL) {
        m_isDirect = false; // for instance an output opened for appending
    } else if (errno != EINTR) {
        refuse(errno);
    }
}

void Pump::read()
{
    std::array<char, kChunkBytes> chunk; // NOLINT(cppcoreguidelines-pro-type-member-init): filled by read()
    const ssize_t size = ::read(m_from, chunk.data(), chunk.size());
    if (size < 0 && mayComeLater(errno)) {
        return;
    }
    if (size <= 0) {
        // EIO: the last holder of a pty's other side has closed it.
        if (size == 0 && !m_endMark.empty() && ::isatty(m_from) == 1) { // not one that was hung up
            m_buffer = m_endMark;
            m_done = 0;
            return;
        }
        m_isAtEnd = true;
        return;
    }
    m_buffer.clear();
    m_done = 0;
    const std::string_view bytes(chunk.data(), static_cast<std::size_t>(size));
    if (m_filter != nullptr) {
        m_filter->feed(bytes, m_buffer);
    } else {
        m_buffer = bytes;
    }
    // Most of the time there is room. A pipe may have too little: poll() vouches for PIPE_BUF only.
    if (pending() > 0 && !m_isOutputPipe) {
        write();
    }
}

void Pump::write()
{
    const std::size_t size = m_isOutputPipe ? std::min<std::size_t>(pending(), PIPE_BUF) : pending();
    const ssize_t written = ::write(m_to, m_buffer.data() + m_done, size);
    if (written >= 0) {
        m_done += static_cast<std::size_t>(written);
    } else if (!mayComeLater(errno)) {
        refuse(errno);
    }
}

void Pump::refuse(int problem)
{
    // EIO: the terminal has gone.
    m_writeProblem = problem == EPIPE || problem == EIO ? 0 : problem;
    m_isRefused = true;
    m_isOver = true;
    m_buffer.clear();
    m_done = 0;
}

} // namespace revet::cli
