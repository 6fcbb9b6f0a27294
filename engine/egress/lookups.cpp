// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/lookups.h"

#include <system_error>
#include <thread>

#include <sys/eventfd.h>

namespace revet::egress {

namespace {

constexpr std::size_t kThreads = 4;
constexpr std::size_t kMaximumWaiting = 256;

} // namespace

Result<Lookups> Lookups::start(std::shared_ptr<NameService> service)
{
    auto shared = std::make_shared<Shared>();
    shared->service = std::move(service);
    shared->ready.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!shared->ready) {
        return failErrno("look names up");
    }
    return Lookups(std::move(shared));
}

Lookups::~Lookups()
{
    if (m_shared) {
        const std::lock_guard lock(m_shared->mutex);
        m_shared->isStopping = true;
        m_shared->changed.notify_all();
    }
}

bool Lookups::want(const policy::HostName& name)
{
    {
        const std::lock_guard lock(m_shared->mutex);
        if (m_shared->wanted.size() >= kMaximumWaiting) {
            return false;
        }
        m_shared->wanted.push_back(name);
    }
    if (m_threads < kThreads && !startThread() && m_threads == 0) {
        const std::lock_guard lock(m_shared->mutex);
        m_shared->wanted.pop_back(); // nobody else has taken it
        return false;
    }
    m_shared->changed.notify_one();
    return true;
}

bool Lookups::startThread()
{
    try {
        std::thread([shared = m_shared] { work(*shared); }).detach();
    } catch (const std::system_error&) { // the person has as many as are allowed
        return false;
    }
    ++m_threads; // most sessions need one
    return true;
}

std::vector<std::pair<policy::HostName, FoundAddresses>> Lookups::take()
{
    eventfd_t count = 0;
    ::eventfd_read(fd(), &count);
    const std::lock_guard lock(m_shared->mutex);
    return std::exchange(m_shared->found, {});
}

void Lookups::work(Shared& shared)
{
    std::unique_lock lock(shared.mutex);
    for (;;) {
        shared.changed.wait(lock, [&shared] { return shared.isStopping || !shared.wanted.empty(); });
        if (shared.isStopping) {
            return;
        }
        const policy::HostName name = std::move(shared.wanted.front());
        shared.wanted.pop_front();
        lock.unlock();
        FoundAddresses found = shared.service->find(name);
        lock.lock();
        shared.found.emplace_back(name, std::move(found));
        ::eventfd_write(shared.ready.get(), 1);
    }
}

} // namespace revet::egress
