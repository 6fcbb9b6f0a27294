// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/assert.h"
#include "engine/egress/packet.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// Any packet is a SYN or is none; what is made of one is of its own size, and no SYN itself.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace revet::egress;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libFuzzer's bytes are text here
    const auto syn = parseSyn({reinterpret_cast<const char*>(data), size});
    if (syn) {
        const auto again = parseSyn(withChecksum(*syn));
        REVET_ASSERT(again && again->connection == syn->connection && again->sequence == syn->sequence);
        REVET_ASSERT(!parseSyn(resetFor(*syn)) && !parseSyn(unreachableFor(*syn, EHOSTUNREACH)));
    }
    return 0;
}
