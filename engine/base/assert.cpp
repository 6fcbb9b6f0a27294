// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace revet {

void assertionFailed(const char* condition, const char* file, int line) noexcept
{
    std::fprintf(stderr, "revet: broken promise: %s (%s:%d)\n", condition, file, line);
    std::abort();
}

} // namespace revet
