// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/private_writes.h"

#include "engine/session/project_finder.h"

#include <algorithm>

namespace revet::session {

void PrivateWrites::note(const Fact& fact)
{
    if (fact.verdict != Verdict::Contained || fact.errnoValue != 0) {
        return;
    }
    const std::scoped_lock lock(m_mutex);
    if (fact.kind == ActionKind::Create || fact.kind == ActionKind::Write) {
        add(fact.target);
    } else if (fact.kind == ActionKind::Delete) {
        m_paths.erase(fact.target);
    } else if (fact.kind == ActionKind::Rename || fact.kind == ActionKind::Link) {
        if (fact.kind == ActionKind::Rename) {
            m_paths.erase(fact.target);
        }
        add(fact.other);
    }
}

void PrivateWrites::add(const std::string& path)
{
    const bool isTold
        = std::ranges::any_of(m_roots, [&path](const std::string& root) { return isWithin(path, root); });
    if (!isTold && m_paths.size() < kMaximum) {
        m_paths.insert(path);
    }
}

std::vector<std::string> PrivateWrites::select(bool isInHome) const
{
    const std::scoped_lock lock(m_mutex);
    std::vector<std::string> paths;
    for (const std::string& path : m_paths) {
        // A directory is told by what is in it.
        const auto next = m_paths.lower_bound(path + '/');
        const bool isAbove = next != m_paths.end() && next->starts_with(path + '/');
        if (!isAbove && isWithin(path, m_home) == isInHome) {
            paths.push_back(path);
        }
    }
    return paths;
}

} // namespace revet::session
