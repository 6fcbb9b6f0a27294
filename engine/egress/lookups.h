// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/egress/dns_message.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace revet::egress {

/// What the machine's resolver says of a name.
struct FoundAddresses
{
    DnsStatus status = DnsStatus::ServerFailure;
    std::vector<policy::IpAddress> addresses; ///< IPv4 first
};

/// Asks the world outside. Blocks; called on several threads at once.
class NameService
{
public:
    NameService() = default;
    NameService(const NameService&) = delete;
    NameService& operator=(const NameService&) = delete;
    NameService(NameService&&) = delete;
    NameService& operator=(NameService&&) = delete;
    virtual ~NameService() = default;

    [[nodiscard]] virtual FoundAddresses find(const policy::HostName& name) = 0;
};

/// Looks names up on threads of its own, so that a slow server stops nobody else. Its owner's thread calls.
/// Threads that still wait for a server when it is destroyed are left behind with what they need.
class Lookups
{
public:
    [[nodiscard]] static Result<Lookups> start(std::shared_ptr<NameService> service);
    Lookups(Lookups&&) noexcept = default;
    Lookups& operator=(Lookups&&) = delete;
    Lookups(const Lookups&) = delete;
    Lookups& operator=(const Lookups&) = delete;
    ~Lookups();

    /// False where too many wait already, or no thread can be had.
    [[nodiscard]] bool want(const policy::HostName& name);
    /// Readable when there are results.
    [[nodiscard]] int fd() const { return m_shared->ready.get(); }
    [[nodiscard]] std::vector<std::pair<policy::HostName, FoundAddresses>> take();

private:
    struct Shared
    {
        std::shared_ptr<NameService> service;
        UniqueFd ready;
        std::mutex mutex;
        std::condition_variable changed;
        std::deque<policy::HostName> wanted = {};
        std::vector<std::pair<policy::HostName, FoundAddresses>> found = {};
        bool isStopping = false;
    };
    explicit Lookups(std::shared_ptr<Shared> shared)
        : m_shared(std::move(shared))
    {
    }
    [[nodiscard]] bool startThread();
    static void work(Shared& shared);

    std::shared_ptr<Shared> m_shared; ///< none after a move
    std::size_t m_threads = 0;
};

} // namespace revet::egress
