// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/ipc/client.h"

#include "engine/ipc/server.h"
#include "engine/ipc/socket_address.h"

#include <cerrno>
#include <utility>

#include <poll.h>
#include <sys/time.h>

namespace revet::ipc {

namespace {

constexpr std::chrono::seconds kAnswerTime{5};
/// What changes grants is answered when the box's keeper has done it: longer than a session waits for that.
constexpr std::chrono::seconds kGrantTime{25};

} // namespace

Result<Client> Client::connect(const std::filesystem::path& socket)
{
    REVET_ASSIGN_OR_RETURN(const SocketAddress address, SocketAddress::of(socket));
    UniqueFd connected(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    // A session that hangs does not accept; without this connect() would wait for ever on a full backlog.
    const timeval timeout = {kAnswerTime.count(), 0};
    if (!connected || ::setsockopt(connected.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout) != 0) {
        return failErrno("make a socket");
    }
    if (::connect(connected.get(), address.get(), address.size()) != 0) {
        if (errno == ENOENT || errno == ECONNREFUSED) {
            return fail(ErrorCode::NotFound, "reach the session");
        }
        return failErrno("reach the session");
    }
    // Whoever could put a socket there would be shown answers, and could say that all is well.
    REVET_RETURN_IF_ERROR(checkPeer(connected.get()));
    Client client((Channel(std::move(connected))));
    REVET_RETURN_IF_ERROR(client.m_channel.send(encode(Hello{})));
    REVET_ASSIGN_OR_RETURN(const Message greeting, client.next(kAnswerTime));
    if (!std::holds_alternative<Hello>(greeting)) {
        return fail(ErrorCode::Malformed, "greet the session");
    }
    return client;
}

Result<Message> Client::next(std::chrono::milliseconds timeout)
{
    pollfd waiting = {m_channel.fd(), POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(timeout.count()));
    if (ready < 0 && errno != EINTR) {
        return failErrno("wait for the session");
    }
    if (ready <= 0) {
        return fail(ErrorCode::TimedOut, "wait for the session");
    }
    REVET_ASSIGN_OR_RETURN(const Frame frame, m_channel.receive());
    return decode(frame.bytes);
}

Result<Answer> Client::request(const Message& message)
{
    const bool isAboutGrants
        = std::holds_alternative<AnswerAsk>(message) || std::holds_alternative<GrantsChanged>(message);
    REVET_RETURN_IF_ERROR(m_channel.send(encode(message)));
    for (;;) {
        REVET_ASSIGN_OR_RETURN(const Message reply, next(isAboutGrants ? kGrantTime : kAnswerTime));
        if (const Answer* const answer = std::get_if<Answer>(&reply)) {
            return *answer;
        }
    }
}

Result<SessionInfo> Client::info()
{
    REVET_RETURN_IF_ERROR(m_channel.send(encode(InfoRequest{})));
    for (;;) {
        REVET_ASSIGN_OR_RETURN(const Message reply, next(kAnswerTime));
        if (const Info* const info = std::get_if<Info>(&reply)) {
            return info->session;
        }
    }
}

Result<void> Client::stop(Stop request)
{
    REVET_ASSIGN_OR_RETURN(const Answer answer, this->request(request));
    if (!answer.isDone) {
        return fail(ErrorCode::Refused, "stop the session", answer.message);
    }
    return {};
}

Result<void> Client::answerAsk(const AnswerAsk& ask)
{
    REVET_ASSIGN_OR_RETURN(const Answer answer, request(ask));
    if (!answer.isDone) {
        return fail(answer.isConflict ? ErrorCode::Conflict : ErrorCode::Refused, "answer " + ask.ask.text(),
                    answer.message);
    }
    return {};
}

Result<void> Client::tellGrantsChanged(std::int64_t grant)
{
    REVET_ASSIGN_OR_RETURN(const Answer answer, request(GrantsChanged{grant}));
    if (!answer.isDone) {
        return fail(ErrorCode::Refused, "tell the session of its grants", answer.message);
    }
    return {};
}

Result<void> Client::subscribe()
{
    REVET_RETURN_IF_ERROR(request(Subscribe{}));
    return {};
}

Result<EventSeq> Client::waitForAdvance(std::chrono::milliseconds timeout)
{
    for (;;) {
        REVET_ASSIGN_OR_RETURN(const Message message, next(timeout));
        if (const Advanced* const advanced = std::get_if<Advanced>(&message)) {
            return advanced->seq;
        }
    }
}

Result<void> Client::waitForEnd(std::chrono::milliseconds timeout)
{
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    for (;;) {
        const auto left
            = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        const Result<Message> message = next(std::max(left, std::chrono::milliseconds(0)));
        if (!message && message.error().code == ErrorCode::Closed) {
            return {};
        }
        if (!message && message.error().code != ErrorCode::Malformed) {
            return fail(message.error());
        }
    }
}

} // namespace revet::ipc
