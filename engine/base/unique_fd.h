// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <utility>

namespace revet {

/// Owns a file descriptor. -1 is none; 0 is a descriptor like any other.
class UniqueFd
{
public:
    UniqueFd() = default;
    explicit UniqueFd(int fd)
        : m_fd(fd)
    {
    }
    UniqueFd(UniqueFd&& other) noexcept
        : m_fd(std::exchange(other.m_fd, -1))
    {
    }
    UniqueFd& operator=(UniqueFd&& other) noexcept
    {
        reset(std::exchange(other.m_fd, -1));
        return *this;
    }
    UniqueFd(const UniqueFd&) = delete;
    UniqueFd& operator=(const UniqueFd&) = delete;
    ~UniqueFd() { reset(); }

    [[nodiscard]] int get() const { return m_fd; }
    [[nodiscard]] bool isOpen() const { return m_fd >= 0; }
    explicit operator bool() const { return isOpen(); }
    /// Gives the descriptor up to the caller.
    [[nodiscard]] int release() { return std::exchange(m_fd, -1); }
    /// Closes what is held; errno is kept.
    void reset(int fd = -1) noexcept;
    /// A second descriptor for the same open file, close-on-exec.
    [[nodiscard]] Result<UniqueFd> duplicate() const;

private:
    int m_fd = -1;
};

} // namespace revet
