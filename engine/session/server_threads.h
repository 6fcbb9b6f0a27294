// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <future>
#include <thread>
#include <vector>

namespace revet::session {

/// The supervisor's threads, one for each listener. One thread calls it.
class ServerThreads
{
public:
    ServerThreads() = default;
    ~ServerThreads();
    ServerThreads(const ServerThreads&) = delete;
    ServerThreads& operator=(const ServerThreads&) = delete;
    ServerThreads(ServerThreads&&) = delete;
    ServerThreads& operator=(ServerThreads&&) = delete;

    void start(std::packaged_task<void()> serve);
    /// Waits for the end of all of them, `patience` at most. False: one hangs in the kernel (a file system
    /// that does not answer). It is left behind, and what it uses must not be destroyed any more.
    [[nodiscard]] bool join(std::chrono::milliseconds patience);

private:
    struct Server
    {
        std::future<void> ended;
        std::thread thread;
    };
    std::vector<Server> m_servers;
};

} // namespace revet::session
