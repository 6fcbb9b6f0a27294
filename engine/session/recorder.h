// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/journal/journal_writer.h"
#include "engine/observe/coalescer.h"
#include "engine/observe/process_tree.h"
#include "engine/session/private_writes.h"
#include "engine/session/process_book.h"
#include "engine/supervisor/fact_sink.h"

#include <thread>

namespace revet::session {

/// From what the supervisor saw to rows of the journal: attribution, coalescing, writing. Thread-safe.
/// Stop it (close()) before the writer is closed.
class Recorder final : public supervisor::FactSink
{
public:
    Recorder(const Clock& clock, journal::JournalWriter& writer, PrivateWrites& privateWrites);
    ~Recorder() override;
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;
    Recorder(Recorder&&) = delete;
    Recorder& operator=(Recorder&&) = delete;

    void record(int tid, Fact fact) override;
    void aboutToExec(int tid) override;
    void aboutToExit(int tid, std::int32_t waitStatus) override;
    [[nodiscard]] bool canRecord() const override { return m_writer.takesRows(); }

    /// For what is told later than the process may live: who it is, and a fact of it.
    [[nodiscard]] ProcessNumber sighted(int tid) { return m_processes.sighted(tid); }
    void record(ProcessNumber process, Fact fact);
    [[nodiscard]] ProcessBook::Story storyOf(ProcessNumber process) const { return m_book.storyOf(process); }
    /// A fact about the session itself.
    void note(Fact fact);
    /// Lets go of everything that is held back for repeats.
    void flushAll();
    /// Starts the threads, and the journal's: not before the box's first call, which they would only delay.
    void begin();
    void close();

private:
    void tell(const ProcessRecord& process);

    journal::JournalWriter& m_writer;
    PrivateWrites& m_privateWrites;
    ProcessBook m_book;
    observe::ProcessTree m_processes;
    observe::Coalescer m_coalescer;
    std::jthread m_exitWatcher;
    std::jthread m_releaser; ///< lets go of what has waited for repeats long enough
};

} // namespace revet::session
