// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/known_bases.h"

namespace revet::workspace {

KnownBases::KnownBases(std::int64_t began, const std::vector<Record>& records)
    : m_began(began)
{
    for (const Record& record : records) {
        for (const Step& step : record.steps) {
            if (step.isMerge) {
                m_left.erase(step.path);
            } else if (step.kind != Step::Kind::Fetch) {
                m_left[step.path] = step.after;
            }
        }
    }
}

bool KnownBases::isBase(const std::string& path, const Entry& present) const
{
    // What happens in a directory changes its times, and its entries are looked at one by one.
    if (present.type == EntryType::Directory || present.statusChanged < m_began) {
        return true;
    }
    const auto left = m_left.find(path);
    return left != m_left.end() && present.isUntouchedSince(left->second);
}

} // namespace revet::workspace
