// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/domain/places.h"
#include "engine/session/doctor.h"
#include "engine/session/running_session.h"

#include <vector>

namespace revet::session {

/// Runs the probe program in a session of this tier, prepared and built like every other, and looks at the
/// host and the journal afterwards. `edit` is for tests, which take walls away to see the probes fail. An
/// error: nothing could be tried. Main thread.
[[nodiscard]] Result<std::vector<DoctorCheck>> runTierProbes(Tier tier, const Places& places,
                                                             const Installation& installation,
                                                             const RunningSession::PlanEdit& edit = {});

/// Starts a session of this tier as `revet run` does, kills its revet-session with -9 and looks at what is
/// left after one second.
[[nodiscard]] Result<std::vector<DoctorCheck>> runKillProbe(Tier tier, const Places& places,
                                                            const Installation& installation);

/// The checks of a probe program's output; a line that is missing or makes no sense is a failure.
[[nodiscard]] std::vector<DoctorCheck> parseProbeOutput(const std::string& output);

} // namespace revet::session
