// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/assert.h"
#include "engine/egress/http_requests.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// However the bytes are cut into pieces, the same requests are seen in them, and the same end.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace revet::egress;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libFuzzer's bytes are text here
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto seen = [bytes](std::size_t step) {
        HttpRequests requests;
        std::string text;
        for (std::size_t at = 0; at < bytes.size(); at += step) {
            const auto read = requests.read(bytes.substr(at, step));
            if (!read) {
                return text + "malformed";
            }
            for (const HttpRequest& request : *read) {
                text += request.method + ' ' + request.authority + '\n';
            }
        }
        return text + (requests.isOpaque() ? "opaque" : "");
    };
    const std::string whole = seen(size + 1);
    const std::string pieces = seen(1);
    // What was sent at once with what is malformed is not reported.
    REVET_ASSERT(pieces == whole || (whole == "malformed" && pieces.ends_with("malformed")));
    return 0;
}
