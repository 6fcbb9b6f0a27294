// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/shared_turn.h"

#include "engine/base/clock.h"

#include <cerrno>
#include <optional>
#include <thread>

#include <sys/file.h>

namespace revet::supervisor {

namespace {

constexpr std::chrono::seconds kPatience{5};
constexpr std::chrono::microseconds kPause{20}; // a turn takes about as long

bool take(const TurnLock& lock)
{
    const int kind = (lock.isExclusive ? LOCK_EX : LOCK_SH) | LOCK_NB;
    std::optional<SteadyTime> deadline;
    while (::flock(lock.file.get(), kind) != 0) {
        const SteadyTime now = std::chrono::steady_clock::now();
        deadline = deadline.value_or(now + kPatience);
        if ((errno != EWOULDBLOCK && errno != EINTR) || now > *deadline) {
            return false;
        }
        std::this_thread::sleep_for(kPause);
    }
    return true;
}

} // namespace

SharedTurn::SharedTurn(std::span<const TurnLock> locks)
    : m_locks(locks)
{
    while (m_held < m_locks.size() && take(m_locks[m_held])) {
        ++m_held;
    }
}

SharedTurn::~SharedTurn()
{
    for (; m_held > 0; --m_held) {
        ::flock(m_locks[m_held - 1].file.get(), LOCK_UN);
    }
}

} // namespace revet::supervisor
