// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/alarm.h"

#include "engine/os/pidfd.h"

#include <csignal>
#include <cstdint>
#include <utility>

#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace revet::session {

Result<std::unique_ptr<Alarm>> Alarm::open(pid_t keeper)
{
    UniqueFd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!event) {
        return failErrno("make an alarm");
    }
    REVET_ASSIGN_OR_RETURN(UniqueFd handle, os::openPidFd(keeper));
    return std::unique_ptr<Alarm>(new Alarm(std::move(event), std::move(handle)));
}

Alarm::Alarm(UniqueFd event, UniqueFd keeper)
    : m_event(std::move(event))
    , m_keeper(std::move(keeper))
{
}

void Alarm::raise(const std::string& reason)
{
    {
        const std::lock_guard lock(m_mutex);
        if (m_reason.empty()) {
            m_reason = reason;
        }
    }
    const std::uint64_t one = 1;
    static_cast<void>(::write(m_event.get(), &one, sizeof one) == sizeof one);
    ::syscall(SYS_pidfd_send_signal, m_keeper.get(), SIGKILL, nullptr, 0);
}

std::string Alarm::reason() const
{
    const std::lock_guard lock(m_mutex);
    return m_reason;
}

} // namespace revet::session
