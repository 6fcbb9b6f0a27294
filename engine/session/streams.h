// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/ipc/run_request.h"
#include "engine/launcher/plan.h"

#include <array>
#include <vector>

namespace revet::session {

/// The command's stdin, stdout and stderr. What is a terminal at the caller's is the box's own terminal; the
/// rest are pipes made for this run, one for stdout and stderr together where they are one there, and none
/// for what is closed there: a descriptor of the caller's never enters a box, since a socket or a file would
/// bring its own way out.
struct Streams
{
    std::array<UniqueFd, 3> boxEnds; ///< -1 where the terminal is used, or nothing
    std::array<UniqueFd, 3> outerEnds; ///< for the front end
    [[nodiscard]] std::vector<int> boxDescriptors() const;
};

/// Makes the pipes and fills in what the request needs to know of terminal and streams.
[[nodiscard]] Result<Streams> makeStreams(const ipc::TerminalState& terminal,
                                          launcher::SpawnRequest& command);

} // namespace revet::session
