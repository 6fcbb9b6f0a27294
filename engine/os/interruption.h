// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <chrono>
#include <optional>

#include <time.h>

namespace revet::os {

/// While it lives, a system call in which the calling thread waits for longer than this fails with EINTR: a
/// bound for calls that have none, as connect(2) on a socket whose timeouts are not ours to change. Uses
/// SIGRTMIN + 1, for which the process must have no other use.
class Interruption
{
public:
    [[nodiscard]] static Result<Interruption> after(std::chrono::milliseconds time);
    ~Interruption();
    Interruption(Interruption&& other) noexcept;
    Interruption& operator=(Interruption&&) = delete;
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

private:
    explicit Interruption(timer_t timer)
        : m_timer(timer)
    {
    }
    std::optional<timer_t> m_timer;
};

} // namespace revet::os
