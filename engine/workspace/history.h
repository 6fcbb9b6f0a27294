// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/operation.h"
#include "engine/workspace/past.h"
#include "engine/workspace/record.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace revet::workspace {

/// What a session and its person did to a tree, one thing after the other, and how each is taken back. A
/// thing is the session's own direct changes, an apply or a discard; taking one back is a record as well, and
/// can be taken back itself, path by path.
class History
{
public:
    /// `own`: the session's direct changes, which came first; empty for none.
    History(Pasts own, const std::vector<Record>& records);

    struct Step
    {
        std::string undoes; ///< for the record
        Purpose of = Purpose::Apply; ///< Undo: of the session's own changes
        bool isRedo = false; ///< an undo is taken back
        std::int64_t time = 0; ///< of what is taken back
        std::vector<Operation> operations;
        std::vector<Conflict> lost; ///< what was not kept, or not its content; the rest comes back
    };
    /// Takes back the newest thing of which something at or below one of the paths is in force (of all for
    /// none); where nothing is in force, the newest undo. NotFound where there is nothing at all. `tree` is
    /// looked at for directories that others have used since. `skipped`: so many of the newest things are
    /// passed over, where by whatever way all is as it was.
    [[nodiscard]] Result<Step> takeBack(int tree, const std::vector<std::string>& selection,
                                        std::size_t skipped = 0) const;

private:
    struct Thing
    {
        std::string name; ///< of its record; empty: the session's own
        Purpose purpose = Purpose::Apply;
        std::size_t last = 0; ///< of m_pasts, that touched it
        struct State
        {
            std::size_t holder = 0; ///< of m_pasts: has what was there before
            bool isInForce = true;
        };
        std::map<std::string, State, WalkOrder> paths;
    };
    void add(const Record& record);
    using Paths = std::set<std::string>;
    [[nodiscard]] const Past& pastOf(const Thing& thing, const std::string& path) const
    {
        return m_pasts[thing.paths.at(path).holder].at(path);
    }
    [[nodiscard]] std::vector<const Thing*> candidates(const std::vector<std::string>& selection,
                                                       bool isInForce) const;
    /// Adds what has to come along: other ends of moves, other names of files, directories above.
    void grow(const Thing& thing, bool isInForce, Paths& wanted) const;
    [[nodiscard]] Entry expectedAt(const std::string& path, const Past& past) const;

    std::vector<Pasts> m_pasts;
    std::vector<std::int64_t> m_times; ///< of m_pasts
    std::vector<Thing> m_things;
    std::map<std::string, Entry> m_latest; ///< what we last left at a path
};

/// Whether `path` is one of the paths or below one; of no paths all are meant.
[[nodiscard]] bool isSelected(const std::string& path, const std::vector<std::string>& selection);

} // namespace revet::workspace
