// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/assert.h"
#include "engine/egress/client_hello.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

/// Whatever a client sends is judged within the bound, and what was complete stays so with more behind it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace revet::egress;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libFuzzer's bytes are text here
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const ClientHello whole = readClientHello(bytes);
    const ClientHello half = readClientHello(bytes.substr(0, size / 2));
    if (half.state == HelloState::Complete) {
        REVET_ASSERT(whole.state == HelloState::Complete && whole.serverName == half.serverName);
    }
    if (half.state == HelloState::NotTls || half.state == HelloState::Malformed) {
        REVET_ASSERT(whole.state == half.state);
    }
    return 0;
}
