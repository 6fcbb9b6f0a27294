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
    Private(std::filesystem::path file, SessionInfo session, Failure failure, Committed committed)
        : m_file(std::move(file))
        , m_session(std::move(session))
        , m_failure(std::move(failure))
        , m_committed(std::move(committed))
    {
    }

    BatchQueue& queue() { return m_queue; }

    Result<void> open()
    {
        REVET_ASSIGN_OR_RETURN(auto store, BatchStore::begin(m_file, m_session));
        m_store = std::move(store);
        return {};
    }

    void begin()
    {
        std::call_once(m_begun, [this] { m_thread = std::thread([this] { work(); }); });
    }

    Result<void> close()
    {
        const std::scoped_lock lock(m_closeMutex);
        begin(); // else the file would be no journal
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
        if (const auto opened = m_store ? Result<void>() : open(); !opened) {
            reportFailure(opened.error());
            return;
        }
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

    const std::filesystem::path m_file;
    const SessionInfo m_session;
    BatchQueue m_queue;
    std::optional<BatchStore> m_store; // the writer's thread only, once it has begun
    Failure m_failure;
    Committed m_committed;
    bool m_isShort = false; // the writer's thread: the owner has been told to stop
    std::optional<Error> m_error; // the writer's thread until it is joined
    std::mutex m_closeMutex;
    std::once_flag m_begun;
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
    REVET_ASSIGN_OR_RETURN(auto writer, createIdle(file, session, std::move(failure), std::move(committed)));
    REVET_RETURN_IF_ERROR(writer->d->open());
    writer->d->begin();
    return writer;
}

Result<std::unique_ptr<JournalWriter>> JournalWriter::createIdle(const std::filesystem::path& file,
                                                                 const SessionInfo& session, Failure failure,
                                                                 Committed committed)
{
    REVET_RETURN_IF_ERROR(BatchStore::createFile(file));
    return std::unique_ptr<JournalWriter>(new JournalWriter(
        std::make_unique<Private>(file, session, std::move(failure), std::move(committed))));
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
    d->begin();
    d->queue().hurry();
}

bool JournalWriter::flush()
{
    d->begin();
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
