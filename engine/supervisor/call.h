// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/unique_fd.h"
#include "engine/os/seccomp_notify.h"

#include <cstdint>
#include <string>

#include <sys/stat.h>
#include <time.h>

namespace revet::supervisor {

/// What a trapped call wants, whichever of its system calls it came by.
enum class Operation : std::uint8_t {
    Open,
    MakeDirectory,
    MakeNode,
    MakeSymlink,
    MakeLink,
    Remove,
    RemoveDirectory,
    Rename,
    Truncate,
    ChangeMode,
    ChangeOwner,
    ChangeTimes,
    SetAttribute,
    RemoveAttribute,
    CheckAccess,
    BindLocalSocket,
};

/// A path argument: a claim. With `isDescriptor` the call is about `directory` itself (fchmod, futimens,
/// AT_EMPTY_PATH).
struct PathArgument
{
    int directory = -100; ///< AT_FDCWD or a descriptor of the target
    std::string path;
    bool isDescriptor = false;
};

/// One decoded path call.
struct Call
{
    std::uint64_t notification = 0;
    Operation operation = Operation::Open;
    PathArgument path; ///< of the object; rename, link: the old one; symlink: the new name
    PathArgument second; ///< rename, link: the new one
    std::string text; ///< symlink: what it points to; xattr: the attribute's name
    std::string value; ///< xattr: the value
    std::uint64_t flags = 0; ///< open, AT_…, RENAME_…, XATTR_… as the call has them
    mode_t mode = 0; ///< create, chmod, access
    dev_t device = 0; ///< mknod
    uid_t owner = 0;
    gid_t group = 0;
    std::int64_t size = 0; ///< truncate
    struct timespec times[2]{}; ///< ChangeTimes; hasTimes false: now
    bool hasTimes = false;
    std::uint64_t resolve = 0; ///< openat2's resolve flags
    int socket = -1; ///< BindLocalSocket: the target's descriptor
};

/// What the supervisor answers.
struct Answer
{
    enum class Kind : std::uint8_t { Continue, Value, Fail, Descriptor };
    Kind kind = Kind::Continue;
    std::int64_t value = 0; ///< Value: what the call returns
    int errnoValue = 0; ///< Fail: positive
    UniqueFd descriptor; ///< Descriptor: a regular file, never a directory or O_PATH
    os::NotifyDevice::CloseOnExec closeOnExec = os::NotifyDevice::CloseOnExec::No;

    [[nodiscard]] static Answer proceed() { return {}; }
    [[nodiscard]] static Answer success(std::int64_t result = 0) { return {Kind::Value, result, 0, {}, {}}; }
    [[nodiscard]] static Answer failure(int errnoValue) { return {Kind::Fail, 0, errnoValue, {}, {}}; }
};

} // namespace revet::supervisor
