// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace revet {

/// How strong the wall around a session is.
enum class Tier : std::uint8_t { Host, Sandbox, Container, Vm, Remote, Airgap };

inline constexpr std::array kAllTiers
    = {Tier::Host, Tier::Sandbox, Tier::Container, Tier::Vm, Tier::Remote, Tier::Airgap};

/// "sandbox"; the same word in code, command line, journal and documents.
[[nodiscard]] std::string_view toString(Tier tier);
[[nodiscard]] Result<Tier> parseTier(std::string_view text);

/// Whether this version can build the tier at all; whether this machine can is the doctor's to say.
[[nodiscard]] constexpr bool isBuilt(Tier tier)
{
    return tier == Tier::Sandbox || tier == Tier::Container;
}

} // namespace revet
