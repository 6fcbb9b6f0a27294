// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/journal/addendum.h"

#include "engine/journal/batch_store.h"

#include <utility>

namespace revet::journal {

Result<void> addToJournal(const std::filesystem::path& file, std::vector<Event> events,
                          const SessionInfo& session)
{
    REVET_ASSIGN_OR_RETURN(BatchStore store, BatchStore::reopen(file, session));
    std::uint64_t last = store.lastEvent();
    for (Event& event : events) {
        event.seq = EventSeq(++last);
    }
    Batch batch;
    batch.events = std::move(events);
    batch.session = session;
    batch.session->events = last;
    batch.sealed = true;
    REVET_RETURN_IF_ERROR(store.write(batch));
    return store.finish();
}

} // namespace revet::journal
