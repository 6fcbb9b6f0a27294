// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <sys/types.h>

namespace revet::supervisor {

/// The process behind a notification, as far as a path call needs it. What it reads is the target's own claim
/// until a kernel object has been opened from it. Valid only while the notification is; one supervisor
/// thread.
class Target
{
public:
    Target() = default;
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;
    Target(Target&&) = delete;
    Target& operator=(Target&&) = delete;
    virtual ~Target() = default;

    [[nodiscard]] virtual int tid() const = 0;
    /// A NUL-terminated string of at most PATH_MAX bytes. EFAULT, ENAMETOOLONG as the kernel would say.
    [[nodiscard]] virtual Result<std::string> readString(std::uint64_t address) = 0;
    [[nodiscard]] virtual Result<void> readBytes(std::uint64_t address, std::span<std::byte> into) = 0;
    /// Absolute path of the working directory; cached, dropped at chdir, exec and directory renames. Here and
    /// below, what has been removed keeps its path with the kernel's " (deleted)" behind it.
    [[nodiscard]] virtual Result<std::string> workingDirectory() = 0;
    /// Absolute path behind one of its descriptors (EBADF as the kernel would say).
    [[nodiscard]] virtual Result<std::string> descriptorPath(int fd) = 0;
    /// Where a link in its directory of procfs leads ("exe"); through "root/proc/" also another process's, by
    /// its number in the box. Whatever the kernel says: "pipe:[7]".
    [[nodiscard]] virtual Result<std::string> readLink(const std::string& name) = 0;
    /// A duplicate of one of its descriptors (pidfd_getfd).
    [[nodiscard]] virtual Result<UniqueFd> duplicateDescriptor(int fd) = 0;
    [[nodiscard]] virtual mode_t fileModeMask() = 0;
    /// RLIMIT_FSIZE, soft: bytes.
    [[nodiscard]] virtual std::uint64_t fileSizeLimit() = 0;
    /// Whether it sees the box's own root and mount namespace (no chroot, no namespace of its own). What
    /// cannot be looked at is neither: the call must not go on.
    [[nodiscard]] virtual Result<bool> hasBoxView() = 0;
};

} // namespace revet::supervisor
