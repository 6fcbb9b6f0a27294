// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/egress/name_streams.h"

#include <array>
#include <cerrno>

#include <sys/epoll.h>
#include <sys/socket.h>

namespace revet::egress {

namespace {

constexpr std::size_t kLengthBytes = 2;
constexpr std::size_t kMaximumMessage = 65535;
constexpr std::size_t kMaximumQueries = 100; ///< of one client that waits for no answer

std::size_t lengthAt(std::string_view bytes)
{
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[0])) << 8U
        | static_cast<unsigned char>(bytes[1]);
}

} // namespace

void NameStreams::add(UniqueFd client)
{
    const std::uint64_t id = ++m_lastId;
    if (m_open.size() < kMaximum && m_poller.add(client.get(), EPOLLIN, {Source::Kind::NameStream, 0, id})) {
        m_open.emplace(id, Stream{std::move(client)});
    }
}

bool NameStreams::receive(Stream& stream)
{
    std::array<char, 4096> buffer{};
    const ssize_t size = ::recv(stream.socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (size < 0) {
        return errno == EAGAIN || errno == EINTR;
    }
    stream.received.append(buffer.data(), static_cast<std::size_t>(size));
    return size > 0;
}

void NameStreams::ready(std::uint64_t id)
{
    const auto found = m_open.find(id);
    if (found == m_open.end()) {
        return;
    }
    if (!receive(found->second)) {
        m_open.erase(found);
        return;
    }
    std::string& received = found->second.received;
    std::size_t at = 0;
    std::vector<std::string> queries;
    while (received.size() - at >= kLengthBytes) {
        const std::size_t length = lengthAt(std::string_view(received).substr(at));
        if (received.size() - at - kLengthBytes < length) {
            break;
        }
        queries.push_back(received.substr(at + kLengthBytes, length));
        at += kLengthBytes + length;
    }
    received.erase(0, at);
    if (queries.size() > kMaximumQueries) {
        m_open.erase(found);
        return;
    }
    for (const std::string& query : queries) { // an answer may close the stream
        m_resolver.ask(query, kMaximumMessage,
                       [this, id](std::string message) { answer(id, std::move(message)); });
    }
}

void NameStreams::answer(std::uint64_t id, std::string message)
{
    const auto found = m_open.find(id);
    if (found == m_open.end()) {
        return;
    }
    message.insert(0, {static_cast<char>(message.size() >> 8U), static_cast<char>(message.size())});
    const ssize_t sent
        = ::send(found->second.socket.get(), message.data(), message.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(message.size())) {
        m_open.erase(found); // who does not read its answers gets no more
    }
}

} // namespace revet::egress
