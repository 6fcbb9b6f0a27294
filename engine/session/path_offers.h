// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/policy/hidden.h"
#include "engine/session/ask_desk.h"
#include "engine/supervisor/host_view.h"

#include <functional>
#include <mutex>
#include <optional>
#include <string>

namespace revet::session {

/// Asks whether the box may be shown what a command names and did not find although the host has it. Programs
/// look for dozens of files by themselves: those are only recorded. Nothing is held up. Thread-safe.
class PathOffers final : public supervisor::FactSink
{
public:
    /// Whether a person may give that path at all.
    using MayBeGiven = std::function<bool(const std::string& path)>;
    /// What is borrowed outlives this.
    PathOffers(Recorder& recorder, AskDesk& desk, MayBeGiven mayBeGiven)
        : m_recorder(recorder)
        , m_desk(desk)
        , m_mayBeGiven(std::move(mayBeGiven))
    {
    }

    /// A process says that it wants to see it. Whether the host has it, nobody is told.
    void claim(ProcessNumber process, const std::string& path, const std::string& reason);

    void record(int tid, Fact fact) override;
    void aboutToExec(int tid) override { m_recorder.aboutToExec(tid); }
    void aboutToExit(int tid, std::int32_t waitStatus) override { m_recorder.aboutToExit(tid, waitStatus); }
    [[nodiscard]] bool canRecord() const override { return m_recorder.canRecord(); }

private:
    void offer(int tid, const std::string& path);

    Recorder& m_recorder;
    AskDesk& m_desk;
    std::mutex m_mutex;
    MayBeGiven m_mayBeGiven; ///< called under the lock
    std::optional<supervisor::HostView> m_host; ///< once it is needed
};

/// Whether an argument of the command, read from its working directory, is that path.
[[nodiscard]] bool namesPath(const AskProcess& process, const std::string& cwd, const std::string& path);

} // namespace revet::session
