// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/os/uapi.h"
#include "engine/supervisor/argument_reader.h"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <utime.h>

namespace revet::supervisor {
namespace {

using Reader = ArgumentReader;

constexpr std::uint64_t kAttributeValueMaximum = 65536; // XATTR_SIZE_MAX
constexpr std::size_t kAttributeNameMaximum = 255; // XATTR_NAME_MAX
constexpr std::int64_t kMicrosecondsPerSecond = 1'000'000;
constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr unsigned kFollowFlags = AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH;

/// What a call is about: argument 0 as a path, argument 0 as a descriptor, or (0, 1) as a path from one.
enum class Subject { Path, Link, Descriptor, PathAt };

[[nodiscard]] Result<void> subject(Reader& reader, Subject what, unsigned flags)
{
    Call& call = reader.call;
    call.flags |= flags;
    switch (what) {
    case Subject::Link:
        call.flags |= AT_SYMLINK_NOFOLLOW;
        return reader.path(call.path, AT_FDCWD, 0);
    case Subject::Path:
        return reader.path(call.path, AT_FDCWD, 0);
    case Subject::Descriptor:
        reader.descriptor(call.path, 0);
        return {};
    case Subject::PathAt:
        break;
    }
    if ((flags & ~kFollowFlags) != 0) {
        return refuseArgument(EINVAL);
    }
    return reader.pathOrDescriptor(call.path, reader.integer(0), 1, flags);
}

[[nodiscard]] Result<void> changeMode(Reader& reader, Subject what, unsigned flags = 0)
{
    reader.call.operation = Operation::ChangeMode;
    reader.call.mode = reader.mode(what == Subject::PathAt ? 2 : 1);
    return subject(reader, what, flags);
}

[[nodiscard]] Result<void> changeOwner(Reader& reader, Subject what, unsigned flags = 0)
{
    const unsigned first = what == Subject::PathAt ? 2 : 1;
    reader.call.operation = Operation::ChangeOwner;
    reader.call.owner = reader.bits(first);
    reader.call.group = reader.bits(first + 1);
    return subject(reader, what, flags);
}

[[nodiscard]] Result<void> readMicroseconds(Reader& reader, std::uint64_t address)
{
    reader.call.operation = Operation::ChangeTimes;
    reader.call.hasTimes = address != 0;
    if (address == 0) {
        return {};
    }
    using Pair = std::array<timeval, 2>;
    REVET_ASSIGN_OR_RETURN(const Pair times, reader.read<Pair>(address));
    for (std::size_t i = 0; i < times.size(); ++i) {
        const timeval& time = times.at(i);
        if (time.tv_usec < 0 || time.tv_usec >= kMicrosecondsPerSecond) {
            return refuseArgument(EINVAL);
        }
        reader.call.times[i] = {time.tv_sec, time.tv_usec * 1000};
    }
    return {};
}

[[nodiscard]] Result<void> readNanoseconds(Reader& reader, std::uint64_t address)
{
    reader.call.operation = Operation::ChangeTimes;
    reader.call.hasTimes = address != 0;
    if (address == 0) {
        return {};
    }
    using Pair = std::array<timespec, 2>;
    REVET_ASSIGN_OR_RETURN(const Pair times, reader.read<Pair>(address));
    for (std::size_t i = 0; i < times.size(); ++i) {
        const timespec& time = times.at(i);
        const bool isSpecial = time.tv_nsec == UTIME_NOW || time.tv_nsec == UTIME_OMIT;
        if (!isSpecial && (time.tv_nsec < 0 || time.tv_nsec >= kNanosecondsPerSecond)) {
            return refuseArgument(EINVAL);
        }
        reader.call.times[i] = time;
    }
    return {};
}

[[nodiscard]] Result<void> decodeUtime(Reader& reader)
{
    reader.call.operation = Operation::ChangeTimes;
    reader.call.hasTimes = reader.raw(1) != 0;
    if (reader.call.hasTimes) {
        REVET_ASSIGN_OR_RETURN(const utimbuf times, reader.read<utimbuf>(reader.raw(1)));
        reader.call.times[0] = {times.actime, 0};
        reader.call.times[1] = {times.modtime, 0};
    }
    return subject(reader, Subject::Path, 0);
}

/// utimensat(2) and futimesat(2): without a path they are about the descriptor.
[[nodiscard]] Result<void> timesAt(Reader& reader, unsigned flags)
{
    if (reader.raw(1) != 0) {
        return subject(reader, Subject::PathAt, flags);
    }
    if (reader.integer(0) == AT_FDCWD) {
        return refuseArgument(EFAULT);
    }
    return flags == 0 ? subject(reader, Subject::Descriptor, 0) : Result<void>(refuseArgument(EINVAL));
}

[[nodiscard]] Result<void> attributeName(Reader& reader)
{
    const Result<void> name = reader.text(reader.call.text, 1);
    if (!name && name.error().errnoValue != ENAMETOOLONG) {
        return name;
    }
    const std::size_t size = name ? reader.call.text.size() : 0;
    return size == 0 || size > kAttributeNameMaximum ? Result<void>(refuseArgument(ERANGE)) : Result<void>();
}

[[nodiscard]] Result<void> setAttribute(Reader& reader, Subject what)
{
    constexpr unsigned kKnown = XATTR_CREATE | XATTR_REPLACE;
    reader.call.operation = Operation::SetAttribute;
    reader.call.flags = reader.bits(4);
    if ((reader.call.flags & ~std::uint64_t{kKnown}) != 0) {
        return refuseArgument(EINVAL);
    }
    REVET_RETURN_IF_ERROR(attributeName(reader));
    if (reader.raw(3) > kAttributeValueMaximum) {
        return refuseArgument(E2BIG);
    }
    REVET_RETURN_IF_ERROR(reader.bytes(reader.call.value, reader.raw(2), reader.raw(3)));
    return subject(reader, what, 0);
}

[[nodiscard]] Result<void> removeAttribute(Reader& reader, Subject what)
{
    reader.call.operation = Operation::RemoveAttribute;
    REVET_RETURN_IF_ERROR(attributeName(reader));
    return subject(reader, what, 0);
}

[[nodiscard]] CallDecoder findTimesDecoder(int number)
{
    switch (number) {
    case SYS_utime:
        return decodeUtime;
    case SYS_utimes:
        return [](Reader& reader) -> Result<void> {
            REVET_RETURN_IF_ERROR(readMicroseconds(reader, reader.raw(1)));
            return subject(reader, Subject::Path, 0);
        };
    case SYS_futimesat:
        return [](Reader& reader) -> Result<void> {
            REVET_RETURN_IF_ERROR(readMicroseconds(reader, reader.raw(2)));
            return timesAt(reader, 0);
        };
    case SYS_utimensat:
        return [](Reader& reader) -> Result<void> {
            REVET_RETURN_IF_ERROR(readNanoseconds(reader, reader.raw(2)));
            return timesAt(reader, reader.bits(3));
        };
    default:
        return nullptr;
    }
}

[[nodiscard]] CallDecoder findExtendedDecoder(int number)
{
    switch (number) {
    case SYS_setxattr:
        return [](Reader& reader) { return setAttribute(reader, Subject::Path); };
    case SYS_lsetxattr:
        return [](Reader& reader) { return setAttribute(reader, Subject::Link); };
    case SYS_fsetxattr:
        return [](Reader& reader) { return setAttribute(reader, Subject::Descriptor); };
    case SYS_removexattr:
        return [](Reader& reader) { return removeAttribute(reader, Subject::Path); };
    case SYS_lremovexattr:
        return [](Reader& reader) { return removeAttribute(reader, Subject::Link); };
    case SYS_fremovexattr:
        return [](Reader& reader) { return removeAttribute(reader, Subject::Descriptor); };
    default:
        return findTimesDecoder(number);
    }
}

} // namespace

CallDecoder findAttributeDecoder(int number)
{
    switch (number) {
    case SYS_chmod:
        return [](Reader& reader) { return changeMode(reader, Subject::Path); };
    case SYS_fchmod:
        return [](Reader& reader) { return changeMode(reader, Subject::Descriptor); };
    case SYS_fchmodat: // without flags: those are its successor's
        return [](Reader& reader) { return changeMode(reader, Subject::PathAt); };
    case SYS_fchmodat2:
        return [](Reader& reader) { return changeMode(reader, Subject::PathAt, reader.bits(3)); };
    case SYS_chown:
        return [](Reader& reader) { return changeOwner(reader, Subject::Path); };
    case SYS_lchown:
        return [](Reader& reader) { return changeOwner(reader, Subject::Link); };
    case SYS_fchown:
        return [](Reader& reader) { return changeOwner(reader, Subject::Descriptor); };
    case SYS_fchownat:
        return [](Reader& reader) { return changeOwner(reader, Subject::PathAt, reader.bits(4)); };
    default:
        return findExtendedDecoder(number);
    }
}

} // namespace revet::supervisor
