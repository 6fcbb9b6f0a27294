// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/supervisor/process_target.h"
#include "tests/support/fake_notify_device.h"

#include <cstdint>
#include <type_traits>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace revet::test {

/// The test's own thread as the one that waits.
[[nodiscard]] inline int ownThread()
{
    return static_cast<int>(::syscall(SYS_gettid));
}

/// A register's content: numbers as they are, pointers as addresses.
template<typename Type>
[[nodiscard]] std::uint64_t argument(Type value)
{
    if constexpr (std::is_pointer_v<Type>) {
        return reinterpret_cast<std::uint64_t>(value);
    } else {
        return static_cast<std::uint64_t>(value);
    }
}

template<typename... Types>
[[nodiscard]] std::array<std::uint64_t, 6> arguments(Types... values)
{
    return {argument(values)...};
}

[[nodiscard]] inline os::FileId ownRoot()
{
    struct stat status
    {
    };
    return ::stat("/", &status) == 0 ? os::FileId{status.st_dev, status.st_ino} : os::FileId{};
}

/// The own process behind one notification.
struct OwnTarget
{
    explicit OwnTarget(const os::Notification& notification)
        : target(notification, device, cache, **cache.find(notification.tid))
    {
    }
    FakeNotifyDevice device;
    supervisor::TreeGeneration generation;
    supervisor::ProcessCache cache{ownRoot(), generation, supervisor::ProcessCache::Context::Remembered};
    supervisor::ProcessTarget target;
};

} // namespace revet::test
