// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/apply.h"
#include "engine/workspace/record.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace revet::workspace {

/// Without a note of what a session saw: what has not changed since it began, what its own applies left, and
/// either of them where an undo brought it back. That is careful: a file that the host changed before the
/// session first touched it counts as changed. That nothing is there is no base for what took a file's place.
class KnownBases final : public Bases
{
public:
    /// `began`: nanoseconds since 1970. `replaced`: files of the project that the session has otherwise.
    KnownBases(std::int64_t began, const std::vector<Record>& records, std::set<std::string> replaced = {});
    [[nodiscard]] bool isBase(const std::string& path, const Entry& present) const override;

private:
    [[nodiscard]] bool isBaseAfter(const Record& record, const Step& step) const;

    std::int64_t m_began;
    std::set<std::string> m_replaced;
    std::map<std::string, Entry> m_left;
    std::map<std::string, std::vector<Entry>> m_bases; ///< all that was a base at some time
    /// Files that lost a name by what was applied, which gave them another ctime, as they were: by device and
    /// inode.
    std::map<std::pair<std::uint64_t, std::uint64_t>, Entry> m_unnamed;
};

} // namespace revet::workspace
