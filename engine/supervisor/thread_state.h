// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <sys/types.h>

namespace revet::supervisor {

/// Makes `mask` the calling thread's own umask, so that the kernel applies it as the target's would be, also
/// next to default ACLs. The thread leaves the process's shared umask and working directory for good
/// (unshare(CLONE_FS), which needs no privilege); it is a supervisor thread and has no use for them.
void applyFileModeMask(mode_t mask);
/// The thread no longer shares the process's umask and working directory.
void ownWorkingDirectory();

} // namespace revet::supervisor
