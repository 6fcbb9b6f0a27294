// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/assert.h"
#include "engine/egress/dns_message.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Any datagram is read or is not; what is answered to a question keeps its bounds and repeats it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace revet::egress;
    constexpr std::size_t kMost = 512;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libFuzzer's bytes are text here
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto parsed = parseDnsQuery(bytes);
    if (const auto* const query = std::get_if<DnsQuery>(&parsed)) {
        DnsAnswer answer;
        answer.addresses.assign(40, revet::policy::IpAddress::v4({198, 18, 0, 5}));
        answer.pointer = query->name;
        const std::string message = encodeDnsAnswer(*query, answer, kMost);
        REVET_ASSERT(message.size() <= kMost && message.substr(12).starts_with(query->question));
    }
    return 0;
}
