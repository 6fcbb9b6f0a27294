// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/waiting_calls.h"

#include <cerrno>
#include <system_error>
#include <utility>

namespace revet::supervisor {
namespace {

constexpr std::chrono::milliseconds kRetryEvery{10};
constexpr std::chrono::milliseconds kHeldTooLong{50};
/// A lease takes a moment to break, a person longer, and hundreds may wait for them.
constexpr std::chrono::seconds kShort{1};
constexpr std::chrono::milliseconds kRetryLongEvery{50};
/// More than a box has reason to hold; each is a thread of its own that sleeps.
constexpr std::size_t kMaximum = 256;
/// linux/errno.h, not for user space: the kernel runs the handler and then restarts the call, or not, as
/// SA_RESTART says.
constexpr int kRestartSystemCall = 512;

} // namespace

WaitingCalls::WaitingCalls(const Dependencies& dependencies, os::FileId boxRoot)
    : m_device(dependencies.device)
    , m_answers(dependencies.answers)
    , m_forget(dependencies.forget)
    , m_processes(boxRoot, dependencies.generation, ProcessCache::Context::Forgotten)
    , m_resolver(dependencies.box, dependencies.host, dependencies.generation)
    , m_forecast(dependencies.box, m_resolver, dependencies.facts)
    , m_mutation(dependencies.broker, dependencies.generation, m_forecast)
{
}

WaitingCalls::~WaitingCalls()
{
    {
        const std::lock_guard lock(m_mutex);
        m_isStopping = true;
    }
    m_changed.notify_one();
    if (m_thread.joinable()) {
        m_thread.join();
    }
    for (const Waiting& waiting : m_waiting) {
        m_device.answerError(waiting.notification.id, EPERM);
        m_forget(waiting.notification.id);
    }
}

void WaitingCalls::add(const os::Notification& notification, Call call)
{
    const std::lock_guard lock(m_mutex);
    if (m_waiting.size() >= kMaximum) {
        m_device.answerError(notification.id, EAGAIN);
        m_forget(notification.id);
        return;
    }
    if (!m_thread.joinable()) {
        try {
            m_thread = std::thread([this] { run(); });
        } catch (const std::system_error&) { // the person has as many as are allowed
            m_device.answerError(notification.id, EAGAIN);
            m_forget(notification.id);
            return;
        }
    }
    const SteadyTime now = std::chrono::steady_clock::now();
    m_waiting.push_back({notification, std::move(call), now, now});
    m_changed.notify_one();
}

void WaitingCalls::run()
{
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_changed.wait(lock, [this] { return m_isStopping || !m_waiting.empty(); });
        if (m_isStopping) {
            return;
        }
        m_changed.wait_for(lock, kRetryEvery, [this] { return m_isStopping; });
        std::deque<Waiting> round = std::exchange(m_waiting, {});
        lock.unlock();
        std::erase_if(round, [this](Waiting& waiting) { return retry(waiting); });
        lock.lock();
        m_waiting.insert(m_waiting.begin(), std::make_move_iterator(round.begin()),
                         std::make_move_iterator(round.end()));
    }
}

bool WaitingCalls::retry(Waiting& waiting)
{
    const SteadyTime now = std::chrono::steady_clock::now();
    if (now < waiting.next) {
        return false;
    }
    waiting.next = now + (now - waiting.since < kShort ? kRetryEvery : kRetryLongEvery);
    if (isStillWaiting(waiting)) {
        return false;
    }
    m_forget(waiting.notification.id);
    return true;
}

bool WaitingCalls::isStillWaiting(const Waiting& waiting)
{
    const os::Notification& notification = waiting.notification;
    if (!m_device.isValid(notification.id) || !m_answers.mayBegin(notification)) {
        return false;
    }
    const Result<ProcessCache::Process*> process = m_processes.find(notification.tid);
    if (!process) {
        m_answers.refuse(notification, process.error());
        return false;
    }
    ProcessTarget target(notification, m_device, m_processes, **process);
    const Result<Answer> answer = m_mutation.perform(waiting.call, target);
    if (!answer || answer->kind != Answer::Kind::Later) {
        m_answers.give(notification, answer);
        return false;
    }
    if (std::chrono::steady_clock::now() - waiting.since < kHeldTooLong) {
        return true;
    }
    const Result<os::ProcessDirectory> directory = os::ProcessDirectory::open(notification.tid);
    const Result<os::SignalState> signals
        = directory ? directory->signals() : Result<os::SignalState>(fail(directory.error()));
    if (!signals || !signals->isInterrupting()) {
        return true;
    }
    // A signal for the process may be taken by another of its threads; this one would then see the bare 512.
    const bool isForThisThread = signals->isForThread || signals->threads == 1;
    m_device.answerError(notification.id, isForThisThread ? kRestartSystemCall : EINTR);
    return false;
}

} // namespace revet::supervisor
