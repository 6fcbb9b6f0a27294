// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/assert.h"
#include "engine/policy/path_pattern.h"

#include <cstddef>
#include <cstdint>

using namespace revet::policy;

// The first line is a pattern, the rest a path.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    // libFuzzer's bytes are a char string to us.
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t end = input.find('\n');
    const std::string_view path = end == std::string_view::npos ? std::string_view() : input.substr(end + 1);
    for (const LetterCase letterCase : {LetterCase::Distinct, LetterCase::Folded}) {
        const auto pattern = PathPattern::compile(input.substr(0, end), letterCase);
        if (!pattern) {
            continue;
        }
        const bool matches = pattern->matches(path);
        REVET_ASSERT(!matches || pattern->covers(path));
        REVET_ASSERT(!matches || pattern->covers(std::string(path) + "/x"));
    }
    return 0;
}
