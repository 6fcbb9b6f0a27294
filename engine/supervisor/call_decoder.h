// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/os/seccomp_notify.h"
#include "engine/supervisor/call.h"
#include "engine/supervisor/target.h"

namespace revet::supervisor {

/// Reads a path call's arguments, once, out of registers and the target's memory: bounded, and a claim. Fails
/// with the errno that the kernel would have given for arguments as malformed as these, with the target's own
/// errors (EPERM, ESRCH) where its memory cannot be read, and with ENOSYS for every system call that is no
/// path call: path calls are all that name a file to be opened, made, changed or removed.
[[nodiscard]] Result<Call> decodeCall(const os::Notification& notification, Target& target);

/// Whether an open only reads: nothing created, cut or written.
[[nodiscard]] bool isReadingOpen(const Call& call);

} // namespace revet::supervisor
