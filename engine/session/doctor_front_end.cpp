// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/doctor_front_end.h"

#include "engine/base/unique_fd.h"
#include "engine/ipc/protocol.h"

#include <algorithm>
#include <array>
#include <utility>

#include <poll.h>
#include <unistd.h>

namespace revet::session {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kMaximumOutput = std::size_t{1} << 20U;
constexpr std::chrono::seconds kLastPatience{20}; ///< after Stop

class Watcher
{
public:
    Watcher(ipc::Channel channel, std::chrono::seconds patience)
        : m_channel(std::move(channel))
        , m_deadline(steady_clock::now() + patience)
    {
    }

    DoctorFrontEnd::Seen run()
    {
        while (!m_isOver || m_output) {
            std::array<pollfd, 2> sources{pollfd{m_isOver ? -1 : m_channel.fd(), POLLIN, 0},
                                          pollfd{m_output.get(), POLLIN, 0}};
            const auto left = std::chrono::duration_cast<milliseconds>(m_deadline - steady_clock::now());
            if (left.count() <= 0
                || ::poll(sources.data(), sources.size(), static_cast<int>(left.count())) == 0) {
                if (!handleTimeout()) {
                    break;
                }
                continue;
            }
            if (sources[1].revents != 0) {
                readOutput();
            }
            if (sources[0].revents != 0) {
                readMessage();
            }
        }
        return std::move(m_seen);
    }

private:
    /// False when waiting any longer is pointless.
    bool handleTimeout()
    {
        if (std::exchange(m_isStopping, true)) {
            return false;
        }
        m_seen.failure = "it took too long";
        m_deadline = steady_clock::now() + kLastPatience;
        return m_channel.send(ipc::encode(ipc::Stop{true})).has_value();
    }

    void readOutput()
    {
        std::array<char, 65536> buffer{};
        const ssize_t size = ::read(m_output.get(), buffer.data(), buffer.size());
        if (size <= 0) {
            m_output.reset();
            return;
        }
        const std::size_t room = kMaximumOutput - m_seen.output.size();
        m_seen.output.append(buffer.data(), std::min(room, static_cast<std::size_t>(size)));
    }

    void readMessage()
    {
        auto frame = m_channel.receive();
        const auto message = frame ? ipc::decode(frame->bytes) : Result<ipc::Message>(fail(frame.error()));
        if (!message) {
            m_isOver = true;
            m_output.reset();
            m_seen.failure = toString(message.error());
        } else if (const auto* started = std::get_if<ipc::Started>(&*message)) {
            takeDescriptors(*started, frame->fds);
        } else if (const auto* exited = std::get_if<ipc::Exited>(&*message)) {
            m_isOver = true;
            m_seen.waitStatus = exited->waitStatus;
        } else if (const auto* failed = std::get_if<ipc::Failed>(&*message)) {
            m_isOver = true;
            m_output.reset();
            m_seen.failure = failed->message;
        }
    }

    void takeDescriptors(const ipc::Started& started, std::vector<UniqueFd>& fds)
    {
        std::size_t next = 0;
        const auto take = [&](bool isThere) {
            return isThere && next < fds.size() ? std::move(fds[next++]) : UniqueFd();
        };
        m_terminal = take(started.hasPty);
        static_cast<void>(take(started.hasStdin));
        m_output = take(started.hasStdout);
    }

    ipc::Channel m_channel;
    steady_clock::time_point m_deadline;
    bool m_isOver = false;
    bool m_isStopping = false;
    UniqueFd m_terminal; ///< open for as long as the command runs; nothing is printed to it
    UniqueFd m_output;
    DoctorFrontEnd::Seen m_seen;
};

} // namespace

DoctorFrontEnd::DoctorFrontEnd(ipc::Channel channel, std::chrono::seconds patience)
    : m_thread([this, ours = std::move(channel), patience]() mutable {
        m_seen = Watcher(std::move(ours), patience).run();
    })
{
}

DoctorFrontEnd::Seen DoctorFrontEnd::finish()
{
    m_thread.join();
    return std::move(m_seen);
}

} // namespace revet::session
