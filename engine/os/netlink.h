// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace revet::os {

/// The bytes of a structure as the kernel reads them.
template<typename Structure>
requires std::is_trivially_copyable_v<Structure>
[[nodiscard]] std::string_view bytesOf(const Structure& structure)
{
    return {reinterpret_cast<const char*>(&structure), sizeof structure};
}

/// One message to the kernel (netlink(7)): a header, the family's own structure, attributes.
class NetlinkMessage
{
public:
    /// `flags` besides NLM_F_REQUEST.
    NetlinkMessage(std::uint16_t type, std::uint16_t flags, std::string_view familyHeader);

    void attribute(std::uint16_t type, std::string_view payload);
    /// With the NUL byte that the kernel wants behind it.
    void text(std::uint16_t type, const char* text);
    template<typename Fill>
    void nested(std::uint16_t type, Fill fill)
    {
        const std::size_t start = begin(type);
        fill();
        end(start);
    }
    /// Appends bytes of another family's header within a nested attribute (VETH_INFO_PEER).
    void raw(std::string_view bytes) { m_bytes += bytes; }

    [[nodiscard]] const std::string& bytes(std::uint32_t sequence);

private:
    [[nodiscard]] std::size_t begin(std::uint16_t type);
    void end(std::size_t start);

    std::string m_bytes;
};

/// Speaks with one part of the kernel, in the network namespace that the thread had at open(), for good. Not
/// thread-safe.
class NetlinkSocket
{
public:
    [[nodiscard]] static Result<NetlinkSocket> open(int protocol);
    /// One that another process opened; blocking.
    explicit NetlinkSocket(UniqueFd socket)
        : m_socket(std::move(socket))
    {
    }

    /// Waits for the kernel's acknowledgement; an error is its errno. `operation` says what for.
    [[nodiscard]] Result<void> request(NetlinkMessage message, const char* operation);
    /// All or nothing, between a begin and an end of nfnetlink's for this subsystem.
    [[nodiscard]] Result<void> batch(std::span<NetlinkMessage> messages, std::uint16_t subsystem,
                                     const char* operation);
    /// The first message that answers, with its header; empty where the kernel knows no such thing (ENOENT).
    [[nodiscard]] Result<std::string> query(NetlinkMessage message, const char* operation);

    [[nodiscard]] UniqueFd take() { return std::move(m_socket); }

private:
    [[nodiscard]] Result<void> waitFor(std::uint32_t sequence, const char* operation);

    UniqueFd m_socket;
    std::uint32_t m_sequence = 0;
};

} // namespace revet::os
