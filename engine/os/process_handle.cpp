// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/os/process_handle.h"

#include "engine/os/pidfd.h"
#include "engine/os/proc_fs.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace revet::os {
namespace {

/// A number comes back only after all others, at least 32767, were given out: that takes ten times as long.
constexpr std::chrono::milliseconds kTrustedFor{10};

} // namespace

Result<ProcessHandle> ProcessHandle::ofThread(int tid)
{
    if (Result<UniqueFd> descriptor = openPidFd(tid)) {
        return ProcessHandle(tid, std::move(*descriptor));
    }
    // Not a leader: the status knows it, and fails where the thread has gone.
    REVET_ASSIGN_OR_RETURN(const ProcessDirectory process, ProcessDirectory::open(tid));
    REVET_ASSIGN_OR_RETURN(const ProcessStatus status, process.status());
    REVET_ASSIGN_OR_RETURN(UniqueFd descriptor, openPidFd(status.threadGroup));
    return ProcessHandle(status.threadGroup, std::move(descriptor));
}

bool ProcessHandle::isAlive() const
{
    return isPidFdAlive(m_descriptor.get());
}

bool ProcessHandle::hasThread(int tid) const
{
    // In this order: what is alive afterwards was the one that was asked about.
    return (tid == m_pid || ::syscall(SYS_tgkill, m_pid, tid, 0) == 0) && isAlive();
}

bool ThreadOwner::isStill(const ProcessHandle& process, int tid, SteadyTime now)
{
    if (now - m_checked < kTrustedFor) {
        return true;
    }
    m_checked = now;
    return process.hasThread(tid);
}

} // namespace revet::os
