// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/control.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace revet::session {

namespace {

constexpr std::size_t kMaximumClients = 64;

bool send(const ipc::Channel& channel, const ipc::Message& message)
{
    // A client that does not read is hung up on: a session waits for nobody.
    return channel.send(ipc::encode(message)).has_value();
}

ipc::Answer answerOf(const Result<void>& done)
{
    ipc::Answer answer;
    if (!done) {
        answer.isDone = false;
        answer.message = done.error().context;
        answer.isConflict = done.error().code == ErrorCode::Conflict;
        if (answer.message.empty()) {
            answer.message = toString(done.error());
        }
    }
    return answer;
}

Result<void> nobodyAsks()
{
    return fail(ErrorCode::NotFound, "answer", "this session asks nothing");
}

} // namespace

Control::Control(ipc::Server server, Handler handler)
    : m_server(std::move(server))
    , m_handler(std::move(handler))
{
}

Result<Control> Control::open(const std::filesystem::path& socket, Handler handler)
{
    REVET_ASSIGN_OR_RETURN(auto server, ipc::Server::listen(socket));
    return Control(std::move(server), std::move(handler));
}

std::vector<int> Control::descriptors()
{
    std::vector<int> descriptors;
    m_pausesNow = std::exchange(m_isPausing, false);
    if (!m_pausesNow) {
        descriptors.push_back(m_server.fd());
    }
    for (const Client& client : m_clients) {
        descriptors.push_back(client.channel.fd());
    }
    return descriptors;
}

void Control::serve(const std::vector<int>& readable)
{
    const auto isReadable
        = [&readable](int fd) { return std::find(readable.begin(), readable.end(), fd) != readable.end(); };
    std::erase_if(m_clients,
                  [&](Client& client) { return isReadable(client.channel.fd()) && !answer(client); });
    if (isReadable(m_server.fd())) {
        accept();
    }
}

void Control::accept()
{
    auto channel = m_server.accept();
    // EMFILE and its like: the client still waits in the queue. Others have been taken from it.
    m_isPausing = !channel && channel.error().code == ErrorCode::System;
    if (channel && m_clients.size() < kMaximumClients) {
        m_clients.push_back({std::move(*channel), false});
    }
}

bool Control::answer(Client& client)
{
    const auto frame = client.channel.receive();
    if (!frame) {
        return frame.error().code == ErrorCode::TimedOut;
    }
    const auto message = ipc::decode(frame->bytes);
    if (!message) {
        return false;
    }
    if (std::holds_alternative<ipc::Hello>(*message)) {
        return send(client.channel, ipc::Hello{});
    }
    if (std::holds_alternative<ipc::Subscribe>(*message)) {
        client.isSubscribed = true;
        return send(client.channel, ipc::Answer{}) && send(client.channel, ipc::Advanced{m_told});
    }
    if (std::holds_alternative<ipc::InfoRequest>(*message)) {
        return send(client.channel, ipc::Info{m_handler.info()});
    }
    if (const auto* stop = std::get_if<ipc::Stop>(&*message)) {
        m_handler.stop(stop->isForced);
        return send(client.channel, ipc::Answer{});
    }
    if (const auto* ask = std::get_if<ipc::AnswerAsk>(&*message)) {
        return send(client.channel, answerOf(m_handler.answerAsk ? m_handler.answerAsk(*ask) : nobodyAsks()));
    }
    if (const auto* changed = std::get_if<ipc::GrantsChanged>(&*message)) {
        return send(
            client.channel,
            answerOf(m_handler.grantsChanged ? m_handler.grantsChanged(changed->grant) : Result<void>()));
    }
    return false; // a message that only a session sends
}

void Control::tellAdvance(EventSeq seq)
{
    if (seq == m_told) {
        return;
    }
    m_told = seq;
    std::erase_if(m_clients, [&](const Client& client) {
        return client.isSubscribed && !send(client.channel, ipc::Advanced{seq});
    });
}

} // namespace revet::session
