// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/egress/poller.h"
#include "engine/egress/resolver.h"

#include <cstdint>
#include <string>
#include <unordered_map>

namespace revet::egress {

/// The box's name server by TCP: messages with their length in front (RFC 7766). One thread.
class NameStreams
{
public:
    static constexpr std::size_t kMaximum = 64; ///< one more is closed at once

    /// Both outlive this.
    NameStreams(const Poller& poller, Resolver& resolver)
        : m_poller(poller)
        , m_resolver(resolver)
    {
    }
    void add(UniqueFd client);
    void ready(std::uint64_t id);
    [[nodiscard]] std::size_t size() const { return m_open.size(); }

private:
    struct Stream
    {
        UniqueFd socket;
        std::string received = {};
    };
    /// False where it is over.
    [[nodiscard]] static bool receive(Stream& stream);
    void answer(std::uint64_t id, std::string message);

    const Poller& m_poller;
    Resolver& m_resolver;
    std::uint64_t m_lastId = 0;
    std::unordered_map<std::uint64_t, Stream> m_open;
};

} // namespace revet::egress
