// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/launcher/plan.h"

namespace revet::launcher {

/// The life of the box's pid 1: builds its part of the plan, then starts commands on request, reaps
/// everything and reports. Returns when revet-session has gone; the kernel then ends whatever is left in the
/// box.
void runPidOne(const Plan& plan);

/// Tells revet-session that a step could not be done and ends the process with 125.
[[noreturn]] void reportFailure(int socket, const Step& step, const Error& error);

} // namespace revet::launcher
