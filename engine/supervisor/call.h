// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/base/unique_fd.h"
#include "engine/domain/action.h"
#include "engine/os/seccomp_notify.h"

#include <cstdint>
#include <functional>
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
    Connect,
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
    std::string text; ///< what a symlink points to; an xattr's name; an address to connect to, in words
    std::string value; ///< xattr: the value; Connect: the bytes of the address
    /// open, AT_…, RENAME_…, XATTR_… as the call has them; calls that are about a link itself (lchown,
    /// lsetxattr, lremovexattr, …) carry AT_SYMLINK_NOFOLLOW, which no XATTR_… flag collides with
    std::uint64_t flags = 0;
    mode_t mode = 0; ///< create, chmod, access
    dev_t device = 0; ///< mknod
    uid_t owner = 0;
    gid_t group = 0;
    std::int64_t size = 0; ///< truncate
    struct timespec times[2]{}; ///< ChangeTimes; hasTimes false: now
    bool hasTimes = false;
    std::uint64_t resolve = 0; ///< openat2's resolve flags
    int socket = -1; ///< BindLocalSocket, Connect: the target's descriptor
};

/// What the call is in the record, whoever performs it.
[[nodiscard]] ActionKind actionOf(const Call& call);

/// What the supervisor answers.
struct Answer
{
    enum class Kind : std::uint8_t {
        Continue,
        Value,
        Fail,
        Descriptor,
        /// nothing was done: a lease is being broken, or the person is asked. Perform the same call again in
        /// some milliseconds, off the supervisor's loop, until it answers otherwise
        Later,
    };
    Kind kind = Kind::Continue;
    std::int64_t value = 0; ///< Value: what the call returns
    int errnoValue = 0; ///< Fail: positive
    UniqueFd descriptor; ///< Descriptor: a regular file, never a directory or O_PATH
    os::NotifyDevice::CloseOnExec closeOnExec = os::NotifyDevice::CloseOnExec::No;
    bool isRecorded = false; ///< a fact about this call is with the sink already, also when it goes on
    /// Descriptor: takes back the file that the call has created. To be called, if it is set, when the target
    /// had no room for the descriptor: open(2) fails with EMFILE before it creates anything.
    std::function<void()> retract;

    [[nodiscard]] static Answer proceed() { return {}; }
    [[nodiscard]] static Answer later() { return of(Kind::Later); }
    [[nodiscard]] static Answer success(std::int64_t result = 0)
    {
        Answer answer = of(Kind::Value);
        answer.value = result;
        return answer;
    }
    [[nodiscard]] static Answer failure(int errnoValue)
    {
        Answer answer = of(Kind::Fail);
        answer.errnoValue = errnoValue;
        return answer;
    }

private:
    [[nodiscard]] static Answer of(Kind kind)
    {
        Answer answer;
        answer.kind = kind;
        return answer;
    }
};

} // namespace revet::supervisor
