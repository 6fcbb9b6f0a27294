// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <utility>

namespace revet::os {

/// A process that is pinned by a descriptor: while it is alive its number means it and no other.
class ProcessHandle
{
public:
    /// The process that a thread, which may be its leader, belongs to.
    [[nodiscard]] static Result<ProcessHandle> ofThread(int tid);

    [[nodiscard]] int pid() const { return m_pid; }
    [[nodiscard]] int descriptor() const { return m_descriptor.get(); } ///< a pidfd
    /// Whether it has not been reaped yet.
    [[nodiscard]] bool isAlive() const;
    [[nodiscard]] bool hasThread(int tid) const;

private:
    ProcessHandle(int pid, UniqueFd descriptor)
        : m_pid(pid)
        , m_descriptor(std::move(descriptor))
    {
    }
    int m_pid;
    UniqueFd m_descriptor;
};

/// Whose thread a number was when the kernel was last asked. Each number is asked about by itself: that one
/// thread of a process is there says nothing of another's number.
class ThreadOwner
{
public:
    ThreadOwner(int pid, SteadyTime checked)
        : m_pid(pid)
        , m_checked(checked)
    {
    }
    [[nodiscard]] int pid() const { return m_pid; }
    /// `process`: the one with number pid().
    [[nodiscard]] bool isStill(const ProcessHandle& process, int tid, SteadyTime now);

private:
    int m_pid;
    SteadyTime m_checked;
};

} // namespace revet::os
