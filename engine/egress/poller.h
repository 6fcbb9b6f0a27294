// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <chrono>
#include <cstdint>
#include <vector>

namespace revet::egress {

/// Whose descriptor is ready.
struct Source
{
    enum class Kind : std::uint8_t {
        Stop,
        Tap,
        Listener,
        Resolver,
        Lookups,
        Answers,
        Dial,
        Relay,
        NameStream,
        Forwards
    };
    Kind kind = Kind::Stop;
    int side = 0; ///< Relay: which of the two; Listener: which family
    std::uint64_t id = 0; ///< never used again, so that an event of the past names nobody
};

/// epoll(7), by sources. One thread.
class Poller
{
public:
    [[nodiscard]] static Result<Poller> open();

    struct Ready
    {
        Source source;
        std::uint32_t events = 0;
    };
    /// What is ready; nothing after `patience`, or a signal.
    [[nodiscard]] Result<std::vector<Ready>> wait(std::chrono::milliseconds patience);

    [[nodiscard]] Result<void> add(int fd, std::uint32_t events, const Source& source) const;
    /// From one set of events to another; none: it is not watched, not even for its end.
    [[nodiscard]] Result<void> change(int fd, std::uint32_t from, std::uint32_t to,
                                      const Source& source) const;

private:
    explicit Poller(UniqueFd epoll)
        : m_epoll(std::move(epoll))
    {
    }
    [[nodiscard]] Result<void> control(int operation, int fd, std::uint32_t events,
                                       const Source& source) const;

    UniqueFd m_epoll;
};

} // namespace revet::egress
