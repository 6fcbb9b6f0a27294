// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/poller.h"

#include <array>
#include <cerrno>

#include <sys/epoll.h>

namespace revet::egress {

namespace {

constexpr std::size_t kBatch = 256;
constexpr unsigned kSideShift = 8;
constexpr unsigned kIdShift = 16;

std::uint64_t packed(const Source& source)
{
    return static_cast<std::uint64_t>(source.kind) | static_cast<std::uint64_t>(source.side) << kSideShift
        | source.id << kIdShift;
}

Source unpacked(std::uint64_t bits)
{
    return {static_cast<Source::Kind>(bits & 0xffU), static_cast<int>(bits >> kSideShift & 0xffU),
            bits >> kIdShift};
}

} // namespace

Result<Poller> Poller::open()
{
    UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
    if (!epoll) {
        return failErrno("watch the box's connections");
    }
    return Poller(std::move(epoll));
}

Result<std::vector<Poller::Ready>> Poller::wait(std::chrono::milliseconds patience)
{
    std::array<epoll_event, kBatch> events{};
    const int count = ::epoll_wait(m_epoll.get(), events.data(), static_cast<int>(events.size()),
                                   static_cast<int>(patience.count()));
    std::vector<Ready> ready;
    if (count < 0 && errno != EINTR) {
        return failErrno("wait for the box's connections");
    }
    for (int i = 0; i < count; ++i) {
        const epoll_event& event = events.at(static_cast<std::size_t>(i));
        ready.push_back({unpacked(event.data.u64), event.events});
    }
    return ready;
}

Result<void> Poller::add(int fd, std::uint32_t events, const Source& source) const
{
    return control(EPOLL_CTL_ADD, fd, events, source);
}

Result<void> Poller::change(int fd, std::uint32_t from, std::uint32_t to, const Source& source) const
{
    if (from == to) {
        return {};
    }
    return control(from == 0 ? EPOLL_CTL_ADD : to == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD, fd, to, source);
}

Result<void> Poller::control(int operation, int fd, std::uint32_t events, const Source& source) const
{
    epoll_event event{};
    event.events = events;
    event.data.u64 = packed(source);
    return ::epoll_ctl(m_epoll.get(), operation, fd, &event) == 0 ? Result<void>()
                                                                  : failErrno("watch a connection");
}

} // namespace revet::egress
