// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/recorder.h"

#include <utility>

namespace revet::session {

Recorder::Recorder(const Clock& clock, journal::JournalWriter& writer, PrivateWrites& privateWrites)
    : m_writer(writer)
    , m_privateWrites(privateWrites)
    , m_processes(clock, [this](const ProcessRecord& process) { tell(process); })
    , m_coalescer(clock, [this](Event event) { m_writer.append(std::move(event)); })
{
}

Recorder::~Recorder()
{
    close();
}

void Recorder::tell(const ProcessRecord& process)
{
    m_writer.update(process);
    m_book.note(process);
    if (process.ended) {
        Fact end;
        end.kind = ActionKind::Exit;
        end.detail = process.waitStatus.value_or(kUnknownStatus);
        m_coalescer.add(process.number, std::move(end));
    }
}

void Recorder::record(int tid, Fact fact)
{
    m_privateWrites.note(fact);
    m_coalescer.add(m_processes.sighted(tid), std::move(fact));
}

void Recorder::aboutToExec(int tid)
{
    m_processes.aboutToExec(tid);
}

void Recorder::aboutToExit(int tid, std::int32_t waitStatus)
{
    m_processes.aboutToExit(tid, waitStatus);
}

void Recorder::record(ProcessNumber process, Fact fact)
{
    m_coalescer.add(process, std::move(fact));
}

void Recorder::note(Fact fact)
{
    m_coalescer.add(ProcessNumber(), std::move(fact));
}

void Recorder::flushAll()
{
    m_coalescer.flush(observe::Coalescer::Flush::All);
}

void Recorder::begin()
{
    if (m_exitWatcher.joinable()) {
        return;
    }
    m_exitWatcher = std::jthread([this] {
        while (m_processes.waitForExits()) { }
    });
    m_releaser = std::jthread([this] {
        while (m_coalescer.flushWhenDue()) { }
    });
    m_writer.hurry();
}

void Recorder::close()
{
    // The threads end by themselves; what they would still tell is told here, so that nobody waits for them.
    m_processes.stop();
    while (m_processes.waitForExits()) { }
    m_coalescer.stop();
    flushAll();
}

} // namespace revet::session
