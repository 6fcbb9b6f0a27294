// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/journal_writer.h"

#include "engine/base/log.h"
#include "engine/journal/batch_queue.h"
#include "engine/journal/batch_store.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace revet::journal {

class JournalWriter::Private
{
public:
    Private(BatchStore store, Failure failure, Committed committed)
        : m_store(std::move(store))
        , m_failure(std::move(failure))
        , m_committed(std::move(committed))
        , m_thread([this] { work(); })
    {
    }

    BatchQueue& queue() { return m_queue; }

    Result<void> close()
    {
        const std::scoped_lock lock(m_closeMutex);
        if (m_thread.joinable()) {
            m_queue.close();
            m_thread.join();
        }
        if (m_error) {
            return fail(*m_error);
        }
        return {};
    }

private:
    void work() noexcept
    {
        Batch batch;
        static_cast<void>(m_store->prepare().has_value()); // write() says what is wrong
        keepRoom();
        while (m_queue.take(batch)) {
            keepRoom();
            if (Result<void> written = m_store->write(batch); !written) {
                reportFailure(written.error());
                break;
            }
            if (m_committed && !batch.events.empty()) {
                m_committed(batch.events.back().seq);
            }
            m_queue.done();
        }
        if (!m_error) {
            if (Result<void> finished = m_store->finish(); !finished) {
                reportFailure(finished.error());
            }
        }
        m_store.reset();
    }

    /// Where the disk is full, the owner must stop the box, while what is permitted until then has its room.
    void keepRoom()
    {
        if (m_isShort) {
            return;
        }
        if (Result<void> kept = m_store->keepRoom(); !kept) {
            m_isShort = true;
            log(LogLevel::Error, "journal", "the disk is full: " + toString(kept.error()));
            if (m_failure) {
                m_failure(kept.error());
            }
        }
    }

    void reportFailure(const Error& error)
    {
        log(LogLevel::Error, "journal", "the journal cannot be written: " + toString(error));
        m_error = error;
        const bool isKnown = std::exchange(m_isShort, true);
        // The owner first: whoever waits in append() must not go on before the box is on its way to its end.
        if (m_failure && !isKnown) {
            m_failure(error);
        }
        m_queue.fail();
    }

    BatchQueue m_queue;
    std::optional<BatchStore> m_store; // the writer's thread only
    Failure m_failure;
    Committed m_committed;
    bool m_isShort = false; // the writer's thread: the owner has been told to stop
    std::optional<Error> m_error; // the writer's thread until it is joined
    std::mutex m_closeMutex;
    std::thread m_thread; // last: it uses all of the above
};

JournalWriter::JournalWriter(std::unique_ptr<Private> priv)
    : d(std::move(priv))
{
}

JournalWriter::~JournalWriter()
{
    static_cast<void>(d->close()); // reported through the callback already
}

Result<std::unique_ptr<JournalWriter>> JournalWriter::create(const std::filesystem::path& file,
                                                             const SessionInfo& session, Failure failure,
                                                             Committed committed)
{
    REVET_ASSIGN_OR_RETURN(BatchStore store, BatchStore::create(file, session));
    return std::unique_ptr<JournalWriter>(new JournalWriter(
        std::make_unique<Private>(std::move(store), std::move(failure), std::move(committed))));
}

void JournalWriter::append(Event event)
{
    d->queue().add(std::move(event));
}

bool JournalWriter::takesRows() const
{
    return d->queue().takesRows();
}

void JournalWriter::update(const ProcessRecord& process)
{
    d->queue().add(process);
}

void JournalWriter::update(const SessionInfo& session)
{
    d->queue().add(session);
}

void JournalWriter::hurry()
{
    d->queue().hurry();
}

bool JournalWriter::flush()
{
    return d->queue().flush();
}

Result<void> JournalWriter::close()
{
    return d->close();
}

std::uint64_t JournalWriter::eventCount() const
{
    return d->queue().eventCount();
}

std::uint64_t JournalWriter::eventCount(Verdict verdict) const
{
    return d->queue().eventCount(verdict);
}

Reach JournalWriter::farthestReach() const
{
    return d->queue().farthestReach();
}

} // namespace revet::journal
