// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/box_view.h"

#include <span>

namespace revet::supervisor {

/// A turn among the sessions that change the same directories: what one has judged stays as it is until it is
/// done. Held from construction to destruction. A root excludes whoever has the same one, and by the shared
/// locks above it whoever has one around it; unrelated sessions do not meet. Waits for the others, but not
/// for ever: one that hangs in its turn must not hang all.
class SharedTurn
{
public:
    /// `locks`: in an order that all sessions have in common; none where there are no others.
    explicit SharedTurn(std::span<const TurnLock> locks);
    ~SharedTurn();
    SharedTurn(const SharedTurn&) = delete;
    SharedTurn& operator=(const SharedTurn&) = delete;
    SharedTurn(SharedTurn&&) = delete;
    SharedTurn& operator=(SharedTurn&&) = delete;

    [[nodiscard]] bool isHeld() const { return m_held == m_locks.size(); }

private:
    std::span<const TurnLock> m_locks;
    std::size_t m_held = 0; ///< so many of the first
};

} // namespace revet::supervisor
