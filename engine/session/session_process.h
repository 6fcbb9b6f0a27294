// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/session/running_session.h"

namespace revet::session {

/// A session process's first deeds: it leaves its caller's terminal and descriptors and starts revet-launch.
/// Uses nothing that waits for a constructor.
void beginSessionProcess();

/// The whole life of a revet-session process: takes the request from the front end's socket (descriptor 3),
/// serves the session to its end, and returns the process's exit status. `edit` is for tests, which build the
/// same program with a wall taken out of the plan; the shipped one has no such switch.
[[nodiscard]] int runSessionProcess(RunningSession::PlanEdit edit = {});

} // namespace revet::session
