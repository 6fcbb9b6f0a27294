// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/thread_state.h"

#include "engine/base/assert.h"

#include <sched.h>
#include <sys/stat.h>

namespace revet::supervisor {

namespace {

thread_local bool isOwn = false;

} // namespace

void ownWorkingDirectory()
{
    if (!isOwn) {
        REVET_ASSERT(::unshare(CLONE_FS) == 0);
        isOwn = true;
    }
}

void applyFileModeMask(mode_t mask)
{
    ownWorkingDirectory();
    ::umask(mask & 0777U);
}

} // namespace revet::supervisor
