// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/os/interruption.h"

#include <csignal>
#include <utility>

#include <sys/syscall.h>
#include <unistd.h>

namespace revet::os {

namespace {

/// The signal, with a handler that does nothing and lets no call go on by itself.
int handledSignal()
{
    static const int number = [] {
        struct sigaction action = {};
        action.sa_handler = [](int) {};
        ::sigaction(SIGRTMIN + 1, &action, nullptr);
        return SIGRTMIN + 1;
    }();
    return number;
}

} // namespace

Result<Interruption> Interruption::after(std::chrono::milliseconds time)
{
    const int number = handledSignal();
    sigset_t signals{};
    ::sigemptyset(&signals);
    ::sigaddset(&signals, number);
    ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr); // a caller may have left it blocked
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = number;
    event._sigev_un._tid = // glibc has no other name for it yet (timer_create(2): sigev_notify_thread_id)
        static_cast<pid_t>(::syscall(SYS_gettid));
    timer_t timer{};
    if (::timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) {
        return failErrno("make a timer");
    }
    Interruption interruption(timer);
    // Again and again: the first signal may come before the call that is to be interrupted.
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
    const timespec period{seconds.count(), std::chrono::nanoseconds(time - seconds).count()};
    const itimerspec schedule{period, period};
    if (::timer_settime(timer, 0, &schedule, nullptr) != 0) {
        return failErrno("start a timer");
    }
    return interruption;
}

Interruption::Interruption(Interruption&& other) noexcept
    : m_timer(std::exchange(other.m_timer, std::nullopt))
{
}

Interruption::~Interruption()
{
    if (m_timer) {
        ::timer_delete(*m_timer);
    }
}

} // namespace revet::os
