// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/workspace/apply.h"
#include "engine/workspace/record.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace revet::workspace {

/// Without a note of what a session saw: what has not changed since it began, and what its own applies left.
/// That is careful: a file that the host changed before the session first touched it counts as changed.
class KnownBases final : public Bases
{
public:
    /// `began`: nanoseconds since 1970.
    KnownBases(std::int64_t began, const std::vector<Record>& records);
    [[nodiscard]] bool isBase(const std::string& path, const Entry& present) const override;

private:
    std::int64_t m_began;
    std::map<std::string, Entry> m_left;
    /// Files that lost a name by what was applied, which gave them another ctime, as they were: by device and
    /// inode.
    std::map<std::pair<std::uint64_t, std::uint64_t>, Entry> m_unnamed;
};

} // namespace revet::workspace
