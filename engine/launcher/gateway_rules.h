// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

namespace revet::launcher {

/// Puts the gateway's rules into the calling thread's network namespace; README of them in the source.
/// Unavailable where the kernel has no nf_tables or no tproxy.
[[nodiscard]] Result<void> loadGatewayRules();

} // namespace revet::launcher
