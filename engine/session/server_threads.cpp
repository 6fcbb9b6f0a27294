// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/server_threads.h"

#include <utility>

namespace revet::session {

ServerThreads::~ServerThreads()
{
    for (Server& server : m_servers) {
        server.thread.join();
    }
}

void ServerThreads::start(std::packaged_task<void()> serve)
{
    std::future<void> ended = serve.get_future();
    m_servers.push_back({std::move(ended), std::thread(std::move(serve))});
}

bool ServerThreads::join(std::chrono::milliseconds patience)
{
    const auto deadline = std::chrono::steady_clock::now() + patience;
    bool isEverythingJoined = true;
    for (Server& server : m_servers) {
        if (server.ended.wait_until(deadline) == std::future_status::ready) {
            server.thread.join();
        } else {
            server.thread.detach();
            isEverythingJoined = false;
        }
    }
    m_servers.clear();
    return isEverythingJoined;
}

} // namespace revet::session
