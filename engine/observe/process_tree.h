// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/clock.h"
#include "engine/domain/event.h"

#include <functional>
#include <memory>

namespace revet::observe {

/// Who is who in a box: turns a thread id that the kernel named into a process of the session, for good.
/// A process is known by (pid, start time), and has a number for each program that it runs in turn; its
/// parent is the one it had when it was first seen, or none, or else itself as the program before: never a
/// guess (ARCHITECTURE.md, decision 8). Thread-safe.
class ProcessTree
{
public:
    /// A new or changed record; called on any thread, one call at a time and in order.
    using Listener = std::function<void(const ProcessRecord&)>;

    ProcessTree(const Clock& clock, Listener listener);
    ~ProcessTree();
    ProcessTree(const ProcessTree&) = delete;
    ProcessTree& operator=(const ProcessTree&) = delete;
    ProcessTree(ProcessTree&&) = delete;
    ProcessTree& operator=(ProcessTree&&) = delete;

    /// The process that a waiting thread belongs to, as the program that it runs now. Costs a few
    /// microseconds at first sight, a hash look-up after it.
    [[nodiscard]] ProcessNumber sighted(int tid);
    /// The thread is about to run another program: exe and argv are read again at its next sighting, and
    /// where they have changed that sighting has a new number.
    void aboutToExec(int tid);
    /// The thread's process is about to end by exit_group: its children that were not seen yet are taken up
    /// now, while they still name their true parent (a daemon's intermediate is gone before they speak).
    void aboutToExit(int tid, std::int32_t waitStatus);
    /// Blocks until a known process ends; called in a loop by one thread of the owner. Ended processes are
    /// told to the listener with their wait status where the kernel gives it (Linux 6.15). False after
    /// stop(), once all that had ended before it are told.
    [[nodiscard]] bool waitForExits();
    void stop();

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace revet::observe
