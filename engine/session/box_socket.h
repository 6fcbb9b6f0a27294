// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/approval/pace.h"
#include "engine/ipc/box_protocol.h"
#include "engine/ipc/channel.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace revet::session {

/// Where the programs of a box say what they want and what they think: bounded, and nothing that is said here
/// is more than words. One thread serves it, of its own: what a box sends may take long to be thrown away.
class BoxSocket
{
public:
    static constexpr const char* kName = "socket"; ///< in the directory of the status file
    static constexpr std::size_t kMaximumClients = 16;
    static constexpr std::uint32_t kBurst = 32; ///< requests at once, then
    static constexpr std::chrono::milliseconds kEach{50}; ///< one after the other

    /// What is borrowed outlives this. Both are called on the serving thread.
    struct Parts
    {
        const Clock& clock;
        std::function<std::string(const os::Sender& sender, const ipc::BoxRequest& request)> answer;
        std::function<void()> refusedForHaste; ///< a request more than may be
    };
    [[nodiscard]] static Result<std::unique_ptr<BoxSocket>> listen(const std::filesystem::path& path,
                                                                   Parts parts);

    /// Readable when the first client is there, and serve() is needed.
    [[nodiscard]] int fd() const { return m_listener.get(); }
    /// Until stop(), which any thread may call.
    void serve();
    void stop() const;

private:
    BoxSocket(UniqueFd listener, UniqueFd stop, Parts parts);
    [[nodiscard]] bool accept(); ///< false: there was no room for a client, which still waits
    /// False: hang up.
    [[nodiscard]] bool serve(const ipc::Channel& client);

    UniqueFd m_listener;
    UniqueFd m_stop; ///< eventfd
    Parts m_parts;
    approval::Pace m_pace;
    std::vector<ipc::Channel> m_clients;
};

} // namespace revet::session
