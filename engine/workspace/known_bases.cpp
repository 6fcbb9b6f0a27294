// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/known_bases.h"

#include <algorithm>
#include <utility>

namespace revet::workspace {

namespace {

/// Whatever place it came back from.
bool hasSameContent(const Entry& one, const Entry& other)
{
    return one.type == other.type && one.size == other.size && one.changed == other.changed
        && one.target == other.target;
}

} // namespace

KnownBases::KnownBases(std::int64_t began, const std::vector<Record>& records, std::set<std::string> replaced)
    : m_began(began)
    , m_replaced(std::move(replaced))
{
    for (const Record& record : records) {
        for (const Step& step : record.steps) {
            if (step.kind == Step::Kind::Fetch) {
                continue;
            }
            const bool takes = step.kind == Step::Kind::Swap || step.kind == Step::Kind::TakeOut;
            if (takes && step.before.links > 1 && isBase(step.path, step.before)) {
                m_unnamed[{step.before.device, step.before.inode}] = step.before;
            }
            std::vector<Entry>& bases = m_bases[step.path];
            if (isBase(step.path, step.before)) {
                bases.push_back(step.before);
            }
            if (isBaseAfter(record, step)) {
                m_left[step.path] = step.after;
                bases.push_back(step.after);
            } else {
                m_left.erase(step.path);
            }
        }
    }
}

/// What an undo brings back is what it was before.
bool KnownBases::isBaseAfter(const Record& record, const Step& step) const
{
    return record.purpose != Purpose::Undo
        ? !step.isMerge
        : std::ranges::any_of(m_bases.at(step.path),
                              [&step](const Entry& base) { return hasSameContent(base, step.after); });
}

bool KnownBases::isBase(const std::string& path, const Entry& present) const
{
    const auto left = m_left.find(path);
    if (!present.exists()) {
        return left != m_left.end() ? !left->second.exists() : !m_replaced.contains(path);
    }
    // What happens in a directory changes its times, and its entries are looked at one by one.
    if (present.type == EntryType::Directory || present.statusChanged < m_began) {
        return true;
    }
    if (left != m_left.end() && present.isUntouchedSince(left->second)) {
        return true;
    }
    const auto unnamed = m_unnamed.find({present.device, present.inode});
    return unnamed != m_unnamed.end() && present.type == unnamed->second.type
        && present.size == unnamed->second.size && present.mode == unnamed->second.mode
        && present.changed == unnamed->second.changed;
}

} // namespace revet::workspace
