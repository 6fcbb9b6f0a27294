// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <array>
#include <cstdint>
#include <optional>

namespace revet::os {

/// One system call that waits for our answer. Everything behind a pointer argument is the target's memory: a
/// claim.
struct Notification
{
    std::uint64_t id = 0;
    int tid = 0; ///< the calling thread, in our pid namespace
    int number = 0; ///< __NR_… of the native architecture (the filter refuses the others)
    std::array<std::uint64_t, 6> arguments{};
};

/// The listener end of a seccomp filter (seccomp_unotify(2)). The supervisor's only way to the kernel's
/// waiting room, so that its loop can be tested with a fake. One thread per device.
class NotifyDevice
{
public:
    NotifyDevice() = default;
    NotifyDevice(const NotifyDevice&) = delete;
    NotifyDevice& operator=(const NotifyDevice&) = delete;
    NotifyDevice(NotifyDevice&&) = delete;
    NotifyDevice& operator=(NotifyDevice&&) = delete;
    virtual ~NotifyDevice() = default;

    /// Blocks for the next notification; none when no process with the filter is left.
    [[nodiscard]] virtual Result<std::optional<Notification>> receive() = 0;
    /// Whether the caller still waits: to be asked after every read of its memory.
    [[nodiscard]] virtual bool isValid(std::uint64_t id) = 0;
    /// Lets the kernel run the call as it is. Only where every possible argument is safe.
    virtual void answerContinue(std::uint64_t id) = 0;
    /// The call returns `value` without running.
    virtual void answerValue(std::uint64_t id, std::int64_t value) = 0;
    /// The call fails with `errnoValue` (positive) without running.
    virtual void answerError(std::uint64_t id, int errnoValue) = 0;
    /// Installs a copy of `fd` in the caller and makes the call return its number. Fails with EMFILE when the
    /// caller has no room; the caller then still waits and must be answered.
    enum class CloseOnExec : std::uint8_t { No, Yes };
    [[nodiscard]] virtual Result<void> answerWithFd(std::uint64_t id, int fd, CloseOnExec closeOnExec) = 0;
};

/// The kernel's own. Blocks in the ioctl itself: a poll() first would cost 130 ns and a wake-up. Caller and
/// receiver wake each other on the core that they are on already: waking another one takes ten times as long.
class SeccompNotifyDevice final : public NotifyDevice
{
public:
    explicit SeccompNotifyDevice(UniqueFd listener);
    [[nodiscard]] Result<std::optional<Notification>> receive() override;
    [[nodiscard]] bool isValid(std::uint64_t id) override;
    void answerContinue(std::uint64_t id) override;
    void answerValue(std::uint64_t id, std::int64_t value) override;
    void answerError(std::uint64_t id, int errnoValue) override;
    [[nodiscard]] Result<void> answerWithFd(std::uint64_t id, int fd, CloseOnExec closeOnExec) override;

private:
    enum class Wake : std::uint8_t { AnyCore, SameCore };
    void setWake(Wake wake);
    [[nodiscard]] bool isOnOurCore(int caller);
    void send(std::uint64_t id, std::int64_t value, int error, std::uint32_t flags);
    UniqueFd m_listener;
    Wake m_wake = Wake::AnyCore;
    struct Caller
    {
        int tid = 0;
        int core = 0; ///< where it was woken last
    };
    std::array<Caller, 256> m_callers{}; ///< by tid; one that shares a place is taken for ours
    int m_core = -1;
};

} // namespace revet::os
