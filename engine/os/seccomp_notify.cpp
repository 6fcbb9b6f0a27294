// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/os/seccomp_notify.h"

#include "engine/os/uapi.h"

#include <cerrno>
#include <utility>

#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>

namespace revet::os {

SeccompNotifyDevice::SeccompNotifyDevice(UniqueFd listener)
    : m_listener(std::move(listener))
{
}

Result<std::optional<Notification>> SeccompNotifyDevice::receive()
{
    setWake(Wake::SameCore);
    for (;;) {
        seccomp_notif raw{}; // must be zero, else EINVAL
        if (::ioctl(m_listener.get(), SECCOMP_IOCTL_NOTIF_RECV, &raw) == 0) {
            setWake(isOnOurCore(static_cast<int>(raw.pid)) ? Wake::SameCore : Wake::AnyCore);
            Notification notification;
            notification.id = raw.id;
            notification.tid = static_cast<int>(raw.pid);
            notification.number = raw.data.nr;
            std::copy(std::begin(raw.data.args), std::end(raw.data.args), notification.arguments.begin());
            return std::optional(notification);
        }
        // ENOENT: the caller died while we were being woken; also what a filter without users gives.
        if (errno != EINTR && errno != ENOENT) {
            return failErrno("receive a seccomp notification");
        }
        pollfd state{m_listener.get(), POLLIN, 0};
        if (::poll(&state, 1, 0) == 1 && (state.revents & POLLHUP) != 0) {
            return std::optional<Notification>();
        }
    }
}

/// Woken by a caller we are on its core, unless we had not quite gone to sleep: then we stay where we were,
/// and so does who had to queue for us. Those two would crowd on one core if they were woken here.
bool SeccompNotifyDevice::isOnOurCore(int caller)
{
    const int core = ::sched_getcpu();
    const bool didFollow = std::exchange(m_core, core) != core;
    Caller& last = m_callers[static_cast<std::size_t>(caller) % m_callers.size()];
    const bool isElsewhere = !didFollow && last.tid == caller && last.core != core;
    if (!isElsewhere) {
        last = {caller, core};
    }
    return !isElsewhere;
}

bool SeccompNotifyDevice::isValid(std::uint64_t id)
{
    return ::ioctl(m_listener.get(), SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

void SeccompNotifyDevice::answerContinue(std::uint64_t id)
{
    send(id, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
}

void SeccompNotifyDevice::answerValue(std::uint64_t id, std::int64_t value)
{
    send(id, value, 0, 0);
}

void SeccompNotifyDevice::answerError(std::uint64_t id, int errnoValue)
{
    send(id, 0, -errnoValue, 0);
}

Result<void> SeccompNotifyDevice::answerWithFd(std::uint64_t id, int fd, CloseOnExec closeOnExec)
{
    seccomp_notif_addfd request{};
    request.id = id;
    request.flags = SECCOMP_ADDFD_FLAG_SEND;
    request.srcfd = static_cast<std::uint32_t>(fd);
    request.newfd_flags = closeOnExec == CloseOnExec::Yes ? kOpenCloseOnExec : 0;
    if (::ioctl(m_listener.get(), SECCOMP_IOCTL_NOTIF_ADDFD, &request) < 0) {
        return failErrno("hand a file descriptor to the box");
    }
    return {};
}

void SeccompNotifyDevice::setWake(Wake wake)
{
    if (wake == m_wake) {
        return;
    }
    m_wake = wake;
    // Before Linux 6.6 there is no such choice, and nothing depends on it.
    static_cast<void>(::ioctl(m_listener.get(), SECCOMP_IOCTL_NOTIF_SET_FLAGS,
                              wake == Wake::SameCore ? SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP : 0));
}

void SeccompNotifyDevice::send(std::uint64_t id, std::int64_t value, int error, std::uint32_t flags)
{
    seccomp_notif_resp response{};
    response.id = id;
    response.val = value;
    response.error = error;
    response.flags = flags;
    // ENOENT: the caller was killed meanwhile. Nobody waits for the answer then, so there is nothing to do.
    static_cast<void>(::ioctl(m_listener.get(), SECCOMP_IOCTL_NOTIF_SEND, &response));
}

} // namespace revet::os
