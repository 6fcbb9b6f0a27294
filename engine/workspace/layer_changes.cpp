// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/layer_changes.h"

#include "engine/workspace/layer_walk.h"
#include "engine/workspace/renames.h"

#include <utility>

namespace revet::workspace {

LayerChanges::LayerChanges(UniqueFd upper, UniqueFd lower, std::uint64_t compareBytes)
    : m_upper(std::move(upper))
    , m_lower(std::move(lower))
    , m_compareBytes(compareBytes)
{
}

Result<std::vector<Change>> LayerChanges::changes()
{
    REVET_ASSIGN_OR_RETURN(std::vector<Change> changes,
                           LayerWalk(m_upper.get(), m_lower.get(), m_compareBytes).run());
    sortByPath(changes);
    return changes;
}

Result<UniqueFd> LayerChanges::openBefore(const Change& change)
{
    return openFile(m_lower.get(), change.kind == Change::Kind::Renamed ? change.from : change.path);
}

Result<UniqueFd> LayerChanges::openAfter(const Change& change)
{
    return openFile(m_upper.get(), change.path);
}

} // namespace revet::workspace
