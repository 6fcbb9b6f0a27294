// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/assert.h"
#include "engine/cli/terminal_filter.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Where a chunk ends makes no difference, and nothing that acts outside the screen gets out.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) {
        return 0;
    }
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libFuzzer's bytes are a terminal's here
    const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
    const std::size_t border = bytes.empty() ? 0 : data[0] % bytes.size();
    revet::cli::TerminalFilter whole;
    revet::cli::TerminalFilter split;
    std::string output;
    std::string splitOutput;
    whole.feed(bytes, output);
    split.feed(bytes.substr(0, border), splitOutput);
    split.feed(bytes.substr(border), splitOutput);
    REVET_ASSERT(output == splitOutput);
    REVET_ASSERT(output.find("\x1b]52") == std::string::npos && output.find("\x1bP") == std::string::npos);
    REVET_ASSERT(output.find('\x05') == std::string::npos && output.find("\x1b[21t") == std::string::npos);
    return 0;
}
