// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/box_view.h"
#include "engine/supervisor/place.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace revet::supervisor {

/// Places of the host's that a running box has been given, and sockets of ours that stand for ones of the
/// host. They stay so once that is over: who has opened something there still has it. Thread-safe.
class GrantedPlaces
{
public:
    void add(std::string path)
    {
        const std::lock_guard lock(m_mutex);
        m_paths.push_back(std::move(path));
        m_isEmpty.store(false, std::memory_order_release);
    }
    void addSocket(RelayedSocket socket)
    {
        const std::lock_guard lock(m_mutex);
        m_sockets.push_back(std::move(socket));
        m_isEmpty.store(false, std::memory_order_release);
    }
    [[nodiscard]] bool relays(std::string_view canonical, const struct stat& status) const
    {
        if (m_isEmpty.load(std::memory_order_acquire)) {
            return false;
        }
        const std::lock_guard lock(m_mutex);
        return std::ranges::any_of(m_sockets,
                                   [&](const RelayedSocket& socket) { return socket.is(canonical, status); });
    }
    [[nodiscard]] bool holds(std::string_view canonical) const
    {
        if (m_isEmpty.load(std::memory_order_acquire)) {
            return false;
        }
        const std::lock_guard lock(m_mutex);
        return std::ranges::any_of(
            m_paths, [canonical](const std::string& path) { return isAtOrBelow(canonical, path); });
    }

private:
    std::atomic<bool> m_isEmpty = true;
    mutable std::mutex m_mutex;
    std::vector<std::string> m_paths;
    std::vector<RelayedSocket> m_sockets;
};

} // namespace revet::supervisor
