// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/domain/event.h"

#include <cstdint>
#include <string>

namespace revet::supervisor {

/// Where the supervisor puts what it saw. Called on the supervisor's threads, before the call that is told
/// of is answered, so that the process is still there to be looked at. Must not block for long. A sink that
/// cannot keep a record stops the box itself, and canRecord() says so until the box has ended.
class FactSink
{
public:
    FactSink() = default;
    FactSink(const FactSink&) = delete;
    FactSink& operator=(const FactSink&) = delete;
    FactSink(FactSink&&) = delete;
    FactSink& operator=(FactSink&&) = delete;
    virtual ~FactSink() = default;

    /// `tid` is the calling thread in our pid namespace.
    virtual void record(int tid, Fact fact) = 0;
    /// `tid` is about to replace its program; what it runs then is read after the exec.
    virtual void aboutToExec(int tid) = 0;
    /// The whole process of `tid` is about to end with `waitStatus` (exit_group); its children still name it
    /// as their parent, for the last time.
    virtual void aboutToExit(int tid, std::int32_t waitStatus) = 0;
    /// False once facts are lost: no call may go on any more.
    [[nodiscard]] virtual bool canRecord() const = 0;
};

} // namespace revet::supervisor
