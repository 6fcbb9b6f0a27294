// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/launcher/errand.h"

#include <mutex>

namespace revet::session {

/// What the box's keeper does for us while the box lives. Thread-safe.
class KeeperErrands
{
public:
    /// `socket` is the end that the keeper does not have.
    explicit KeeperErrands(UniqueFd socket)
        : m_socket(std::move(socket))
    {
    }
    /// Waits for it. Closed when the keeper is gone.
    [[nodiscard]] Result<UniqueFd> run(const launcher::Errand& errand);

private:
    std::mutex m_mutex;
    UniqueFd m_socket;
};

} // namespace revet::session
