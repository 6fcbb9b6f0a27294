// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/unique_fd.h"
#include "engine/domain/places.h"
#include "engine/domain/session_info.h"
#include "engine/workspace/record.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace revet::api {

/// Tells a session's journal what was decided about it. What counts is the records: each that is done gets
/// its rows once, whoever did it, and whatever it was killed by before it told of it.
class DecisionJournal
{
public:
    /// Of one root or of the layer. The store is borrowed.
    struct Source
    {
        const workspace::RecordStore* records;
        std::string directory; ///< absolute, of its paths; of the layer the project's
        std::string layer; ///< where its paths begin with that of the layer's files: that path
    };
    /// Waits until no decision is going on in any of them, and lets none begin.
    [[nodiscard]] static Result<DecisionJournal> open(const std::vector<Source>& sources);

    /// Whether the journal may lack something.
    [[nodiscard]] bool isEmpty() const { return m_decisions.empty(); }
    /// Writes what the journal lacks; `session` becomes as it says then.
    [[nodiscard]] Result<void> write(const Places& places, SessionInfo& session) const;
    /// It need not be asked again.
    [[nodiscard]] Result<void> close() const;

private:
    struct Decision
    {
        workspace::Purpose purpose = workspace::Purpose::Apply;
        bool isOfLayer = false;
        std::vector<std::string> targets;
    };
    struct Part
    {
        const workspace::RecordStore* records;
        std::string name;
    };
    std::vector<UniqueFd> m_locks;
    /// By time, which tells a decision's rows from others; it has a record for each root that it was about.
    std::map<std::int64_t, Decision> m_decisions;
    std::vector<Part> m_parts;
};

} // namespace revet::api
