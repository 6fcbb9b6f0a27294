// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/egress/packet.h"

#include <optional>

namespace revet::egress {

/// The two ends of a connected socket that was accepted: its client's and its own. None once it has broken.
[[nodiscard]] std::optional<Connection> endsOf(int accepted);

} // namespace revet::egress
