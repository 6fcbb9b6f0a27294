// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/assert.h"
#include "engine/ipc/channel.h"
#include "engine/ipc/protocol.h"
#include "engine/ipc/run_request.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

/// Any bytes decode or fail; what decodes comes out of the next round as it went in, and fits a frame.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace revet::ipc;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libFuzzer's bytes are text here
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    if (const auto message = decode(bytes)) {
        const std::string once = encode(*message);
        REVET_ASSERT(once.size() <= kMaximumFrameBytes);
        const auto again = decode(once);
        REVET_ASSERT(again && encode(*again) == once);
    }
    if (const auto request = decodeRunRequest(bytes)) {
        const std::string once = encodeRunRequest(*request);
        const auto again = decodeRunRequest(once);
        REVET_ASSERT(again && encodeRunRequest(*again) == once);
    }
    return 0;
}
