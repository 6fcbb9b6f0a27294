// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/assert.h"
#include "engine/ipc/box_protocol.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

/// Any bytes are a request, within its bounds, or refused.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace revet::ipc;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libFuzzer's bytes are text here
    const auto request = decodeBoxRequest({reinterpret_cast<const char*>(data), size});
    if (!request) {
        return 0;
    }
    if (const auto* const access = std::get_if<AccessRequest>(&*request)) {
        REVET_ASSERT(!access->kind.empty() && !access->target.empty() && access->target.size() <= 4096
                     && access->reason.size() <= kMaximumReasonBytes);
    } else if (const auto* const note = std::get_if<BoxNote>(&*request)) {
        REVET_ASSERT(!note->text.empty() && note->text.size() <= kMaximumNoteBytes);
    }
    return 0;
}
