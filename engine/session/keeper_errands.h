// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/launcher/errand.h"

#include <chrono>
#include <mutex>

namespace revet::session {

/// What the box's keeper does for us while the box lives. Thread-safe.
class KeeperErrands
{
public:
    /// `socket` is the end that the keeper does not have.
    explicit KeeperErrands(UniqueFd socket, std::chrono::milliseconds patience = std::chrono::seconds(10))
        : m_socket(std::move(socket))
        , m_patience(patience)
    {
    }
    /// Waits for it. Closed when the keeper is gone, or does not answer, as on a file system that hangs: then
    /// it does no more errands, and what it still mounts it takes away itself.
    [[nodiscard]] Result<UniqueFd> run(const launcher::Errand& errand);

private:
    std::mutex m_mutex;
    UniqueFd m_socket;
    std::chrono::milliseconds m_patience;
};

} // namespace revet::session
