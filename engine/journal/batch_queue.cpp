// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/batch_queue.h"

#include <algorithm>
#include <chrono>

namespace revet::journal {

namespace {

constexpr auto kBatchTime = std::chrono::milliseconds(50);
constexpr std::size_t kBatchRows = 4096;
constexpr std::size_t kQueueRows = 65536;
constexpr std::size_t kQueueBytes = std::size_t{64} << 20U;

std::size_t bytesOf(const ProcessRecord& process)
{
    std::size_t bytes = sizeof(ProcessRecord) + process.exe.size() + process.cwd.size();
    for (const std::string& argument : process.argv) {
        bytes += sizeof(std::string) + argument.size();
    }
    return bytes;
}

} // namespace

bool BatchQueue::waitForRoom(std::unique_lock<std::mutex>& lock)
{
    m_room.wait(lock,
                [this] { return (m_rows < kQueueRows && m_bytes < kQueueBytes) || m_failed || m_closed; });
    return !m_failed && !m_closed;
}

void BatchQueue::added(std::unique_lock<std::mutex>& lock, std::size_t bytes)
{
    ++m_added;
    m_bytes += bytes;
    ++m_rows;
    // One wake-up for the first row, which starts the 50 ms, and one when the batch is full.
    const bool wake = m_rows == 1 || m_rows == kBatchRows || m_bytes >= kQueueBytes;
    lock.unlock();
    if (wake) {
        m_work.notify_one();
    }
}

void BatchQueue::add(Event event)
{
    std::unique_lock lock(m_mutex);
    if (!waitForRoom(lock)) {
        return;
    }
    const std::size_t bytes = sizeof(Event) + event.target.size() + event.other.size() + event.rule.size();
    const std::uint64_t number = m_events.load(std::memory_order_relaxed) + 1;
    event.seq = EventSeq(number);
    m_events.store(number, std::memory_order_relaxed);
    if (event.kind != ActionKind::Session) {
        m_verdicts.at(static_cast<std::size_t>(event.verdict)).fetch_add(1, std::memory_order_relaxed);
    }
    m_reach.store(std::max(m_reach.load(std::memory_order_relaxed), event.reach), std::memory_order_relaxed);
    m_pending.events.push_back(std::move(event));
    added(lock, bytes);
}

void BatchQueue::add(const ProcessRecord& process)
{
    std::unique_lock lock(m_mutex);
    if (!waitForRoom(lock)) {
        return;
    }
    m_pending.processes.push_back(process);
    added(lock, bytesOf(process));
}

void BatchQueue::add(const SessionInfo& session)
{
    std::unique_lock lock(m_mutex);
    if (!waitForRoom(lock)) {
        return;
    }
    m_pending.session = session;
    added(lock, sizeof(SessionInfo));
}

void BatchQueue::hurry()
{
    const std::scoped_lock lock(m_mutex);
    m_wanted = m_added;
    m_work.notify_one();
}

bool BatchQueue::flush()
{
    std::unique_lock lock(m_mutex);
    const std::uint64_t target = m_added;
    m_wanted = std::max(m_wanted, target);
    m_work.notify_one();
    m_progress.wait(lock, [this, target] { return m_written >= target || m_failed; });
    return !m_failed;
}

void BatchQueue::close()
{
    const std::scoped_lock lock(m_mutex);
    m_closed = true;
    m_takesRows.store(false, std::memory_order_release);
    m_work.notify_one();
    m_room.notify_all();
    m_progress.notify_all();
}

bool BatchQueue::take(Batch& batch)
{
    batch.events.clear();
    batch.processes.clear();
    batch.session.reset();
    std::unique_lock lock(m_mutex);
    m_work.wait(lock, [this] { return m_rows > 0 || m_closed; });
    m_work.wait_for(lock, kBatchTime, [this] {
        return m_rows >= kBatchRows || m_bytes >= kQueueBytes || m_wanted > m_written || m_closed;
    });
    if (m_rows == 0 && m_sealed) {
        return false;
    }
    std::swap(batch, m_pending);
    batch.sealed = m_closed;
    m_sealed = m_closed;
    m_rows = 0;
    m_bytes = 0;
    m_taken = m_added;
    lock.unlock();
    m_room.notify_all();
    return true;
}

void BatchQueue::done()
{
    {
        const std::scoped_lock lock(m_mutex);
        m_written = m_taken;
    }
    m_progress.notify_all();
}

void BatchQueue::fail()
{
    const std::scoped_lock lock(m_mutex);
    m_failed = true;
    m_takesRows.store(false, std::memory_order_release);
    m_room.notify_all();
    m_progress.notify_all();
}

} // namespace revet::journal
