// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/assert.h"
#include "engine/launcher/errand.h"
#include "engine/launcher/plan.h"
#include "engine/launcher/wire.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

/// What decodes comes out of the next round as it went in.
template<typename Decode>
auto roundTrip(Decode decode, std::string_view bytes)
{
    auto value = decode(bytes);
    if (value) {
        const std::string once = encode(*value);
        const auto again = decode(once);
        REVET_ASSERT(again && encode(*again) == once);
    }
    return value;
}

} // namespace

/// What goes between revet-session, the launcher and pid 1: any bytes decode or fail.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace revet::launcher;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libFuzzer's bytes are text here
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    if (const auto plan = roundTrip(decodePlan, bytes)) {
        static_cast<void>(describe(*plan)); // for dumps: of any plan
    }
    static_cast<void>(roundTrip(decodeSpawnRequest, bytes));
    static_cast<void>(roundTrip(decodeReport, bytes));
    static_cast<void>(roundTrip(decodeOrder, bytes));
    static_cast<void>(roundTrip(decodeErrand, bytes));
    return 0;
}
