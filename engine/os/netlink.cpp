// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/os/netlink.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <sys/socket.h>

namespace revet::os {

namespace {

constexpr std::size_t kMaximumAnswer = 16384;

std::size_t padded(std::size_t size)
{
    return (size + NLMSG_ALIGNTO - 1) / NLMSG_ALIGNTO * NLMSG_ALIGNTO;
}

/// Calls `visit(header, message)` for each whole message until it returns true; whether it did.
template<typename Visit>
bool anyMessage(std::string_view received, Visit visit)
{
    while (received.size() >= sizeof(nlmsghdr)) {
        nlmsghdr header{};
        std::memcpy(&header, received.data(), sizeof header);
        if (header.nlmsg_len < sizeof header || header.nlmsg_len > received.size()) {
            return false;
        }
        if (visit(header, received.substr(0, header.nlmsg_len))) {
            return true;
        }
        received.remove_prefix(std::min(padded(header.nlmsg_len), received.size()));
    }
    return false;
}

/// The errno in an NLMSG_ERROR; 0 acknowledges.
int errorIn(std::string_view message)
{
    std::int32_t error = -EBADMSG;
    if (message.size() >= sizeof(nlmsghdr) + sizeof error) {
        std::memcpy(&error, message.data() + sizeof(nlmsghdr), sizeof error);
    }
    return -error;
}

/// The same message, which the kernel is to acknowledge.
std::string acknowledged(std::string message)
{
    nlmsghdr header{};
    std::memcpy(&header, message.data(), sizeof header);
    header.nlmsg_flags = static_cast<std::uint16_t>(header.nlmsg_flags | NLM_F_ACK);
    std::memcpy(message.data(), &header, sizeof header);
    return message;
}

Result<void> sendAll(int socket, std::string_view bytes, const char* operation)
{
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), 0);
    return sent == static_cast<ssize_t>(bytes.size()) ? Result<void>() : failErrno(operation);
}

} // namespace

NetlinkMessage::NetlinkMessage(std::uint16_t type, std::uint16_t flags, std::string_view familyHeader)
{
    nlmsghdr header{};
    header.nlmsg_type = type;
    header.nlmsg_flags = static_cast<std::uint16_t>(flags | NLM_F_REQUEST);
    m_bytes = bytesOf(header);
    m_bytes += familyHeader;
}

std::size_t NetlinkMessage::begin(std::uint16_t type)
{
    m_bytes.resize(padded(m_bytes.size()));
    const std::size_t start = m_bytes.size();
    const nlattr header{0, type};
    m_bytes += bytesOf(header);
    return start;
}

void NetlinkMessage::end(std::size_t start)
{
    const auto length = static_cast<std::uint16_t>(m_bytes.size() - start);
    std::memcpy(m_bytes.data() + start, &length, sizeof length);
}

void NetlinkMessage::attribute(std::uint16_t type, std::string_view payload)
{
    const std::size_t start = begin(type);
    m_bytes += payload;
    end(start);
}

void NetlinkMessage::text(std::uint16_t type, const char* text)
{
    attribute(type, {text, std::strlen(text) + 1});
}

const std::string& NetlinkMessage::bytes(std::uint32_t sequence)
{
    m_bytes.resize(padded(m_bytes.size()));
    nlmsghdr header{};
    std::memcpy(&header, m_bytes.data(), sizeof header);
    header.nlmsg_len = static_cast<std::uint32_t>(m_bytes.size());
    header.nlmsg_seq = sequence;
    std::memcpy(m_bytes.data(), &header, sizeof header);
    return m_bytes;
}

Result<NetlinkSocket> NetlinkSocket::open(int protocol)
{
    UniqueFd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol));
    if (!socket) {
        return failErrno("open a netlink socket");
    }
    return NetlinkSocket(std::move(socket));
}

Result<void> NetlinkSocket::request(NetlinkMessage message, const char* operation)
{
    REVET_RETURN_IF_ERROR(sendAll(m_socket.get(), acknowledged(message.bytes(++m_sequence)), operation));
    return waitFor(m_sequence, operation);
}

Result<void> NetlinkSocket::batch(std::span<NetlinkMessage> messages, std::uint16_t subsystem,
                                  const char* operation)
{
    nfgenmsg family{};
    family.res_id = htons(subsystem);
    NetlinkMessage begin(NFNL_MSG_BATCH_BEGIN, 0, bytesOf(family));
    std::string bytes = begin.bytes(++m_sequence);
    for (NetlinkMessage& message : messages) {
        ++m_sequence;
        // Errors are told for every message, and in order: that there was none shows in the last one's.
        const bool isLast = &message == &messages.back();
        bytes += isLast ? acknowledged(message.bytes(m_sequence)) : message.bytes(m_sequence);
    }
    const std::uint32_t last = m_sequence;
    NetlinkMessage end(NFNL_MSG_BATCH_END, 0, bytesOf(family));
    bytes += end.bytes(++m_sequence);
    REVET_RETURN_IF_ERROR(sendAll(m_socket.get(), bytes, operation));
    return waitFor(last, operation);
}

Result<void> NetlinkSocket::waitFor(std::uint32_t sequence, const char* operation)
{
    std::array<char, kMaximumAnswer> buffer{};
    for (;;) {
        const ssize_t size = ::recv(m_socket.get(), buffer.data(), buffer.size(), 0);
        if (size <= 0) {
            return failErrno(operation);
        }
        int error = 0;
        const bool isOver = anyMessage({buffer.data(), static_cast<std::size_t>(size)},
                                       [&](const nlmsghdr& header, std::string_view message) {
                                           if (header.nlmsg_type != NLMSG_ERROR) {
                                               return false;
                                           }
                                           error = errorIn(message);
                                           return error != 0 || header.nlmsg_seq == sequence;
                                       });
        if (isOver) {
            return error == 0 ? Result<void>() : fail(Error::fromErrno(operation, error));
        }
    }
}

Result<std::string> NetlinkSocket::query(NetlinkMessage message, const char* operation)
{
    REVET_RETURN_IF_ERROR(sendAll(m_socket.get(), message.bytes(++m_sequence), operation));
    std::array<char, kMaximumAnswer> buffer{};
    for (;;) {
        const ssize_t size = ::recv(m_socket.get(), buffer.data(), buffer.size(), 0);
        if (size <= 0) {
            return failErrno(operation);
        }
        std::string answer;
        int error = 0;
        const bool isOver = anyMessage({buffer.data(), static_cast<std::size_t>(size)},
                                       [&](const nlmsghdr& header, std::string_view found) {
                                           if (header.nlmsg_seq != m_sequence) {
                                               return false;
                                           }
                                           error = header.nlmsg_type == NLMSG_ERROR ? errorIn(found) : 0;
                                           answer = header.nlmsg_type == NLMSG_ERROR ? "" : found;
                                           return true;
                                       });
        if (isOver) {
            return error == 0 || error == ENOENT ? Result<std::string>(std::move(answer))
                                                 : fail(Error::fromErrno(operation, error));
        }
    }
}

} // namespace revet::os
