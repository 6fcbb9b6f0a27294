// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/tiers/compiled_filters.h"

#include <array>
#include <cstdint>

namespace revet::tiers {

namespace {

#include "compiled_filters.inc" // kKnown, kSandbox0 … kContainer2: arrays of bytes

template<std::size_t Size>
std::string_view view(const std::array<std::uint8_t, Size>& bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace

CompiledFilters compiledFilters(Tier tier, ObserveLevel level)
{
    const std::array sandbox = {view(kSandbox0), view(kSandbox1), view(kSandbox2)};
    const std::array container = {view(kContainer0), view(kContainer1), view(kContainer2)};
    const auto index = static_cast<std::size_t>(level);
    return {view(kKnown), tier == Tier::Container ? container.at(index) : sandbox.at(index)};
}

} // namespace revet::tiers
