// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/argument_reader.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

namespace revet::supervisor {
namespace {

constexpr std::uint64_t kKernelTemporaryFile = O_TMPFILE & ~O_DIRECTORY; // __O_TMPFILE
constexpr std::uint64_t kKernelLargeFile = 0100000; // glibc's O_LARGEFILE is 0; the kernel sets it by itself
constexpr std::uint64_t kOpenFlags = O_ACCMODE | O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_APPEND | O_NONBLOCK
    | O_SYNC | O_DSYNC | O_ASYNC | O_DIRECT | kKernelLargeFile | O_DIRECTORY | O_NOFOLLOW | O_NOATIME
    | O_CLOEXEC | O_PATH | kKernelTemporaryFile;
constexpr std::uint64_t kPathOpenFlags = O_DIRECTORY | O_NOFOLLOW | O_PATH | O_CLOEXEC;
constexpr std::uint64_t kResolveFlags = RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS
    | RESOLVE_BENEATH | RESOLVE_IN_ROOT | RESOLVE_CACHED;
constexpr std::uint64_t kBothScopes = RESOLVE_BENEATH | RESOLVE_IN_ROOT;
constexpr std::uint64_t kModeBits = 07777;
constexpr std::uint64_t kLargestHow = 4096; // a page: how much of a later struct open_how may be given

[[nodiscard]] bool makesFile(std::uint64_t flags)
{
    return (flags & (O_CREAT | kKernelTemporaryFile)) != 0;
}

/// What open(2) and openat(2) make of flags that they do not know: nothing.
void setOpen(Call& call, std::uint64_t flags, mode_t mode)
{
    call.operation = Operation::Open;
    call.flags = flags & ((flags & O_PATH) != 0 ? kPathOpenFlags : kOpenFlags & ~kKernelLargeFile);
    call.mode = makesFile(call.flags) ? mode : 0;
}

[[nodiscard]] Result<void> decodeOpen(ArgumentReader& reader)
{
    setOpen(reader.call, reader.bits(1), reader.mode(2));
    return reader.path(reader.call.path, AT_FDCWD, 0);
}

[[nodiscard]] Result<void> decodeOpenAt(ArgumentReader& reader)
{
    setOpen(reader.call, reader.bits(2), reader.mode(3));
    return reader.path(reader.call.path, reader.integer(0), 1);
}

[[nodiscard]] Result<void> decodeCreate(ArgumentReader& reader)
{
    setOpen(reader.call, O_CREAT | O_WRONLY | O_TRUNC, reader.mode(1));
    return reader.path(reader.call.path, AT_FDCWD, 0);
}

/// openat2(2) is strict where the older calls are not.
[[nodiscard]] bool isValid(const open_how& how)
{
    const std::uint64_t modeAllowed = makesFile(how.flags) ? kModeBits : 0;
    return (how.flags & ~kOpenFlags) == 0 && (how.resolve & ~kResolveFlags) == 0
        && (how.mode & ~modeAllowed) == 0 && (how.resolve & kBothScopes) != kBothScopes
        && ((how.flags & O_PATH) == 0 || (how.flags & ~kPathOpenFlags) == 0);
}

[[nodiscard]] Result<void> decodeOpenAt2(ArgumentReader& reader)
{
    const std::uint64_t size = reader.raw(3);
    if (size < sizeof(open_how)) {
        return refuseArgument(EINVAL);
    }
    if (size > kLargestHow) {
        return refuseArgument(E2BIG);
    }
    const std::uint64_t address = reader.raw(2);
    REVET_ASSIGN_OR_RETURN(const open_how how, reader.read<open_how>(address));
    std::string future;
    REVET_RETURN_IF_ERROR(reader.bytes(future, address + sizeof(open_how), size - sizeof(open_how)));
    if (std::any_of(future.begin(), future.end(), [](char byte) { return byte != '\0'; })) {
        return refuseArgument(E2BIG);
    }
    if (!isValid(how)) {
        return refuseArgument(EINVAL);
    }
    setOpen(reader.call, how.flags, static_cast<mode_t>(how.mode));
    reader.call.resolve = how.resolve;
    return reader.path(reader.call.path, reader.integer(0), 1);
}

[[nodiscard]] Result<void> decodeTruncate(ArgumentReader& reader)
{
    reader.call.operation = Operation::Truncate;
    reader.call.size = static_cast<std::int64_t>(reader.raw(1));
    if (reader.call.size < 0) {
        return refuseArgument(EINVAL);
    }
    return reader.path(reader.call.path, AT_FDCWD, 0);
}

[[nodiscard]] Result<void> decodeAccess(ArgumentReader& reader, int directory, unsigned first, unsigned flags)
{
    constexpr unsigned kKnown = AT_EACCESS | AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH;
    const unsigned mode = reader.bits(first + 1);
    if ((mode & ~07U) != 0 || (flags & ~kKnown) != 0) {
        return refuseArgument(EINVAL);
    }
    reader.call.operation = Operation::CheckAccess;
    reader.call.mode = mode;
    reader.call.flags = flags;
    return reader.pathOrDescriptor(reader.call.path, directory, first, flags);
}

} // namespace

CallDecoder findOpenDecoder(int number)
{
    switch (number) {
    case SYS_open:
        return decodeOpen;
    case SYS_openat:
        return decodeOpenAt;
    case SYS_openat2:
        return decodeOpenAt2;
    case SYS_creat:
        return decodeCreate;
    case SYS_truncate:
        return decodeTruncate;
    case SYS_access:
        return [](ArgumentReader& reader) { return decodeAccess(reader, AT_FDCWD, 0, 0); };
    case SYS_faccessat:
        return [](ArgumentReader& reader) { return decodeAccess(reader, reader.integer(0), 1, 0); };
    case SYS_faccessat2:
        return
            [](ArgumentReader& reader) { return decodeAccess(reader, reader.integer(0), 1, reader.bits(3)); };
    default:
        return nullptr;
    }
}

} // namespace revet::supervisor
