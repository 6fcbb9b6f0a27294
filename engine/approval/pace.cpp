// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/approval/pace.h"

#include <algorithm>

namespace revet::approval {

bool Pace::take(SteadyTime now)
{
    const auto earned = (now - m_filledAt) / m_each;
    if (earned > 0) {
        m_left = static_cast<std::uint32_t>(std::min<std::int64_t>(earned + m_left, m_burst));
        m_filledAt = m_left == m_burst ? now : m_filledAt + earned * m_each;
    }
    if (m_left == 0) {
        return false;
    }
    --m_left;
    return true;
}

} // namespace revet::approval
