// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/assert.h"
#include "engine/workspace/staged_index.h"

#include <cstddef>
#include <cstdint>

// An index of a box's repository.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    // libFuzzer's bytes are a char string to us.
    const std::string_view index(reinterpret_cast<const char*>(data), size);
    const std::string staged = revet::workspace::stagedBy(index);
    REVET_ASSERT(staged.empty() || (index.starts_with("DIRC") && staged.size() == 32));
    return 0;
}
