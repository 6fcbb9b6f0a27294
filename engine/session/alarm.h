// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <memory>
#include <mutex>
#include <string>

#include <sys/types.h>

namespace revet::session {

/// Ends a box on the spot, when what watches it has failed, and then tells the main loop why. Thread-safe.
class Alarm
{
public:
    [[nodiscard]] static Result<std::unique_ptr<Alarm>> open(pid_t keeper);

    /// Does not wait for the main loop: an unwatched box must not run. The first reason counts.
    void raise(const std::string& reason);
    [[nodiscard]] int fd() const { return m_event.get(); } ///< readable once it was raised
    [[nodiscard]] std::string reason() const;

private:
    Alarm(UniqueFd event, UniqueFd keeper);

    UniqueFd m_event;
    UniqueFd m_keeper; ///< a handle, not a number: the box may have ended, and kill(-1) is everybody's end
    mutable std::mutex m_mutex; ///< guards what follows
    std::string m_reason;
};

} // namespace revet::session
