// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/assert.h"
#include "engine/policy/profile.h"

#include <cstddef>
#include <cstdint>

using namespace revet::policy;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    // libFuzzer's bytes are a char string to us.
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto set = ProfileSet::load({{"base", "visible = '~/x'"}, {"mine", text}});
    if (!set) {
        return 0;
    }
    const auto resolved = set->resolve("mine");
    REVET_ASSERT(resolved.has_value());
    // What is bound is always a named place below HOME.
    for (const SourcedTexts* paths : {&resolved->visible, &resolved->cache, &resolved->state}) {
        for (const auto& path : *paths) {
            REVET_ASSERT(path.value.starts_with("~/") && path.value.find("/../") == std::string::npos);
        }
    }
    static_cast<void>(set->detect("cargo", {text}));
    return 0;
}
