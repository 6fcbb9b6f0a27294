// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/known_bases.h"

namespace revet::workspace {

KnownBases::KnownBases(std::int64_t began, const std::vector<Record>& records)
    : m_began(began)
{
    for (const Record& record : records) {
        for (const Step& step : record.steps) {
            const bool takes = step.kind == Step::Kind::Swap || step.kind == Step::Kind::TakeOut;
            if (takes && step.before.links > 1 && isBase(step.path, step.before)) {
                m_unnamed[{step.before.device, step.before.inode}] = step.before;
            }
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
    if (left != m_left.end() && present.isUntouchedSince(left->second)) {
        return true;
    }
    const auto unnamed = m_unnamed.find({present.device, present.inode});
    return unnamed != m_unnamed.end() && present.type == unnamed->second.type
        && present.size == unnamed->second.size && present.mode == unnamed->second.mode
        && present.changed == unnamed->second.changed;
}

} // namespace revet::workspace
