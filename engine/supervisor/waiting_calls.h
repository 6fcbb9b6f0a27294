// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/answers.h"
#include "engine/supervisor/mutation.h"
#include "engine/supervisor/process_target.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>

namespace revet::supervisor {

/// Calls whose answer has to wait for somebody else (a lease that is being broken, a person who is asked):
/// tried again on a thread of their own until they can be answered. A caller that gets a signal meanwhile is
/// let out of its call, else Ctrl-C, alarm(2) and SIGSTOP would be dead for it.
class WaitingCalls
{
public:
    /// All of it outlives this.
    struct Dependencies
    {
        os::NotifyDevice& device;
        const Answers& answers;
        const BoxView& box;
        const HostView& host;
        TreeGeneration& generation;
        FactSink& facts;
        const Mutation::Broker& broker;
        const std::function<void(std::uint64_t notification)>& forget; ///< without an answer of the broker's
    };

    WaitingCalls(const Dependencies& dependencies, os::FileId boxRoot);
    /// Refuses what still waits.
    ~WaitingCalls();
    WaitingCalls(const WaitingCalls&) = delete;
    WaitingCalls& operator=(const WaitingCalls&) = delete;
    WaitingCalls(WaitingCalls&&) = delete;
    WaitingCalls& operator=(WaitingCalls&&) = delete;

    /// Takes over the duty to answer. Thread-safe.
    void add(const os::Notification& notification, Call call);

private:
    struct Waiting
    {
        os::Notification notification;
        Call call;
        SteadyTime since;
        SteadyTime next;
    };
    void run();
    /// Whether it was answered, or needs no answer any more.
    [[nodiscard]] bool retry(Waiting& waiting);
    [[nodiscard]] bool isStillWaiting(const Waiting& waiting);

    os::NotifyDevice& m_device;
    const Answers& m_answers;
    const std::function<void(std::uint64_t notification)>& m_forget;
    ProcessCache m_processes; ///< this and the next three belong to the thread
    Resolver m_resolver;
    Forecast m_forecast;
    Mutation m_mutation;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Waiting> m_waiting;
    bool m_isStopping = false;
    std::thread m_thread; ///< started by the first call that waits
};

} // namespace revet::supervisor
