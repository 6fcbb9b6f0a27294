// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/api/review.h"

#include "engine/os/memory_limit.h"
#include "engine/os/user_namespace.h"
#include "engine/session/undo_files.h"
#include "engine/workspace/access_lists.h"

#include <utility>

namespace revet::api {

Result<void> enterReview()
{
    // A pack of a few KiB can want all of the machine's memory.
    REVET_RETURN_IF_ERROR(os::limitOwnMemory());
    REVET_RETURN_IF_ERROR(workspace::keepAccessListsWhole());
    return os::enterUserNamespace();
}

Result<void> sealUndo(const std::string& session)
{
    REVET_ASSIGN_OR_RETURN(const SessionId id, SessionId::parse(session));
    REVET_ASSIGN_OR_RETURN(const Places places, Places::find());
    return session::sealUndo(places, id, workspace::Unreadable::PassedOver);
}

Result<Review> Review::open(const Engine& engine, const SessionInfo& session)
{
    Review review;
    REVET_ASSIGN_OR_RETURN(review.m_sources, session::openReview(engine.places(), session));
    REVET_ASSIGN_OR_RETURN(const policy::RunLaterTable table,
                           session::reviewTable(engine.places(), session::pathsOf(review.m_sources)));
    for (const session::ReviewRoot& source : review.m_sources) {
        Root root{source.path, {}};
        REVET_ASSIGN_OR_RETURN(root.items, workspace::review(*source.source, source.directory.get(), table));
        review.m_roots.push_back(std::move(root));
    }
    return review;
}

Result<workspace::TextDiff> Review::diff(std::size_t root, const workspace::Change& change)
{
    return workspace::diffChange(*m_sources.at(root).source, change);
}

} // namespace revet::api
