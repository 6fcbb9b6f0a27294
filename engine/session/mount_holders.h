// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/launcher/errand.h"

#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

namespace revet::session {

/// The number of what the keeper has mounted by this errand, in the mount namespace of `init`; none where the
/// box has moved it.
[[nodiscard]] std::optional<std::uint64_t> mountInBox(pid_t init, const launcher::Errand& errand);

/// The programs of the box of `init` that have something of a mount open, or work in it: "python3 (41), sh
/// (12)". Empty: none.
[[nodiscard]] std::string holdersOf(pid_t init, std::uint64_t mount);

} // namespace revet::session
