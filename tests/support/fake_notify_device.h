// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/os/seccomp_notify.h"

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include <sys/stat.h>

namespace revet::test {

/// A waiting room without a kernel: hands out what a test put in and keeps the answers. Thread-safe.
class FakeNotifyDevice : public os::NotifyDevice
{
public:
    struct Answer
    {
        enum class Kind { Continue, Value, Error, Descriptor };
        Kind kind = Kind::Continue;
        std::int64_t value = 0; ///< also the errno of an Error
        ino_t inode = 0; ///< Descriptor: of the file that was handed over
    };

    /// Returns the id that it gets.
    std::uint64_t add(int tid, int number, std::array<std::uint64_t, 6> arguments)
    {
        const std::scoped_lock lock(m_mutex);
        m_waiting.push_back({++m_lastId, tid, number, arguments});
        return m_lastId;
    }
    /// The caller has gone: its call takes no answer any more.
    void abandon(std::uint64_t id)
    {
        const std::scoped_lock lock(m_mutex);
        m_abandoned.insert(id);
    }
    void setRoomForDescriptors(bool hasRoom) { m_hasRoom = hasRoom; }
    [[nodiscard]] std::optional<Answer> answerTo(std::uint64_t id) const
    {
        const std::scoped_lock lock(m_mutex);
        const auto answer = m_answers.find(id);
        return answer == m_answers.end() ? std::nullopt : std::optional(answer->second);
    }
    /// Whether a call was answered twice, or after its caller had gone.
    [[nodiscard]] bool hasSurplusAnswers() const { return m_surplus; }

    [[nodiscard]] Result<std::optional<os::Notification>> receive() override
    {
        const std::scoped_lock lock(m_mutex);
        if (m_waiting.empty()) {
            return std::optional<os::Notification>();
        }
        const os::Notification next = m_waiting.front();
        m_waiting.pop_front();
        return std::optional(next);
    }
    [[nodiscard]] bool isValid(std::uint64_t id) override
    {
        const std::scoped_lock lock(m_mutex);
        return !m_abandoned.contains(id) && !m_answers.contains(id);
    }
    void answerContinue(std::uint64_t id) override { keep(id, {}); }
    void answerValue(std::uint64_t id, std::int64_t value) override
    {
        keep(id, {Answer::Kind::Value, value, 0});
    }
    void answerError(std::uint64_t id, int errnoValue) override
    {
        keep(id, {Answer::Kind::Error, errnoValue, 0});
    }
    [[nodiscard]] Result<void> answerWithFd(std::uint64_t id, int fd, CloseOnExec /*closeOnExec*/) override
    {
        struct stat status
        {
        };
        if (!m_hasRoom) {
            return fail(Error::fromErrno("hand a file descriptor to the box", EMFILE));
        }
        if (::fstat(fd, &status) < 0) {
            return failErrno("hand a file descriptor to the box");
        }
        keep(id, {Answer::Kind::Descriptor, 0, status.st_ino});
        return {};
    }

private:
    void keep(std::uint64_t id, Answer answer)
    {
        const std::scoped_lock lock(m_mutex);
        if (!m_answers.emplace(id, answer).second || m_abandoned.contains(id)) {
            m_surplus = true;
        }
    }

    mutable std::mutex m_mutex;
    std::uint64_t m_lastId = 0;
    std::deque<os::Notification> m_waiting;
    std::map<std::uint64_t, Answer> m_answers;
    std::set<std::uint64_t> m_abandoned;
    bool m_hasRoom = true;
    bool m_surplus = false;
};

} // namespace revet::test
