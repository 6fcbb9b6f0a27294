// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/assert.h"
#include "engine/egress/system_names.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

/// A name server's answer, and a hosts file: any bytes give some addresses or none, never many.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace revet;
    static const auto name = policy::HostName::parse("a.b");
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libFuzzer's bytes are text here
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    REVET_ASSERT(egress::addressesInAnswer(bytes).size() <= 32);
    REVET_ASSERT(egress::addressesInHosts(bytes, *name).size() <= 32);
    return 0;
}
