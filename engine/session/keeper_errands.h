// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/launcher/errand.h"

#include <chrono>
#include <functional>
#include <mutex>

namespace revet::session {

/// What the box's keeper does for us while the box lives. Thread-safe.
class KeeperErrands
{
public:
    /// The end of a new socket that the keeper does not have; any thread calls it.
    using Open = std::function<Result<UniqueFd>()>;
    explicit KeeperErrands(Open open, std::chrono::milliseconds patience = std::chrono::seconds(10))
        : m_open(std::move(open))
        , m_patience(patience)
    {
    }
    /// Waits for it. A keeper that does not answer, as on a file system that hangs, takes away itself what it
    /// still mounts, and gets a new socket with the next errand: no late answer is taken for that one's.
    [[nodiscard]] Result<UniqueFd> run(const launcher::Errand& errand);

private:
    std::mutex m_mutex;
    Open m_open;
    UniqueFd m_socket; ///< once there was an errand
    std::chrono::milliseconds m_patience;
};

} // namespace revet::session
