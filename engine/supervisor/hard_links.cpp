// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/hard_links.h"

namespace revet::supervisor {

void HardLinks::added(const struct stat& before)
{
    if (!areAllInside(before) || m_known.size() >= kMaximum) {
        m_known.erase(keyOf(before));
        return;
    }
    m_known[keyOf(before)] = before.st_nlink + 1;
}

void HardLinks::removed(const struct stat& before)
{
    const auto known = m_known.find(keyOf(before));
    if (known == m_known.end()) {
        return;
    }
    known->second -= 1;
    if (known->second <= 1) {
        m_known.erase(known);
    }
}

bool HardLinks::areAllInside(const struct stat& status) const
{
    if (status.st_nlink <= 1 || S_ISDIR(status.st_mode)) {
        return true;
    }
    const auto known = m_known.find(keyOf(status));
    return known != m_known.end() && known->second >= status.st_nlink;
}

} // namespace revet::supervisor
