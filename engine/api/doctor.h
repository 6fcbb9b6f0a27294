// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/domain/tier.h"
#include "engine/session/doctor.h"

#include <optional>

namespace revet::api {

/// Probes this machine and the boxes of the built tiers, or of the one that was asked for; see
/// session::runDoctor(). Takes seconds; main thread.
[[nodiscard]] Result<session::DoctorReport> runDoctor(std::optional<Tier> only);

} // namespace revet::api
