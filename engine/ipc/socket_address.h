// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <cstring>
#include <filesystem>

#include <sys/socket.h>
#include <sys/un.h>

namespace revet::ipc {

/// The address of a local socket in the file system.
class SocketAddress
{
public:
    [[nodiscard]] static Result<SocketAddress> of(const std::filesystem::path& path)
    {
        SocketAddress address;
        const std::string& text = path.native();
        // 108 bytes with the terminating NUL, see unix(7).
        if (text.empty() || text.size() >= sizeof address.m_address.sun_path) {
            return fail(ErrorCode::InvalidArgument, "use the socket path " + text,
                        "set XDG_RUNTIME_DIR to a shorter path");
        }
        address.m_address.sun_family = AF_UNIX;
        std::memcpy(address.m_address.sun_path, text.data(), text.size());
        return address;
    }
    [[nodiscard]] const sockaddr* get() const
    {
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the sockets API wants it so
        return reinterpret_cast<const sockaddr*>(&m_address);
    }
    [[nodiscard]] socklen_t size() const { return sizeof m_address; }

private:
    sockaddr_un m_address = {};
};

} // namespace revet::ipc
