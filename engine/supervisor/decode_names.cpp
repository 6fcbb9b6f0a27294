// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/argument_reader.h"

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

namespace revet::supervisor {
namespace {

/// A path of a call: the descriptor it starts from and the argument that holds it.
struct At
{
    int directory = AT_FDCWD;
    unsigned index = 0;
};

[[nodiscard]] Result<void> makeDirectory(ArgumentReader& reader, At at)
{
    reader.call.operation = Operation::MakeDirectory;
    reader.call.mode = reader.mode(at.index + 1);
    return reader.path(reader.call.path, at.directory, at.index);
}

[[nodiscard]] Result<void> makeNode(ArgumentReader& reader, At at)
{
    reader.call.operation = Operation::MakeNode;
    reader.call.mode = static_cast<mode_t>(reader.raw(at.index + 1)) & 0xffffU; // umode_t: with the type
    // new_decode_dev(): 12 bits of major number between 8 and 12 bits of minor number.
    const unsigned device = reader.bits(at.index + 2);
    reader.call.device = makedev((device & 0xfff00U) >> 8U, (device & 0xffU) | ((device >> 12U) & 0xfff00U));
    return reader.path(reader.call.path, at.directory, at.index);
}

[[nodiscard]] Result<void> makeSymlink(ArgumentReader& reader, At at)
{
    reader.call.operation = Operation::MakeSymlink;
    REVET_RETURN_IF_ERROR(reader.text(reader.call.text, 0));
    if (reader.call.text.empty()) {
        return refuseArgument(ENOENT);
    }
    return reader.path(reader.call.path, at.directory, at.index);
}

[[nodiscard]] Result<void> makeLink(ArgumentReader& reader, At from, At to, unsigned flags)
{
    constexpr unsigned kKnown = AT_SYMLINK_FOLLOW | AT_EMPTY_PATH;
    if ((flags & ~kKnown) != 0) {
        return refuseArgument(EINVAL);
    }
    reader.call.operation = Operation::MakeLink;
    reader.call.flags = flags;
    REVET_RETURN_IF_ERROR(reader.pathOrDescriptor(reader.call.path, from.directory, from.index, flags));
    return reader.path(reader.call.second, to.directory, to.index);
}

[[nodiscard]] Result<void> removeName(ArgumentReader& reader, At at, unsigned flags)
{
    if ((flags & ~static_cast<unsigned>(AT_REMOVEDIR)) != 0) {
        return refuseArgument(EINVAL);
    }
    reader.call.operation = flags == 0 ? Operation::Remove : Operation::RemoveDirectory;
    reader.call.flags = flags;
    return reader.path(reader.call.path, at.directory, at.index);
}

[[nodiscard]] Result<void> rename(ArgumentReader& reader, At from, At to, unsigned flags)
{
    constexpr unsigned kKnown = RENAME_NOREPLACE | RENAME_EXCHANGE | RENAME_WHITEOUT;
    constexpr unsigned kNotWithExchange = RENAME_NOREPLACE | RENAME_WHITEOUT;
    const bool isContradiction = (flags & RENAME_EXCHANGE) != 0 && (flags & kNotWithExchange) != 0;
    if ((flags & ~kKnown) != 0 || isContradiction) {
        return refuseArgument(EINVAL);
    }
    reader.call.operation = Operation::Rename;
    reader.call.flags = flags;
    REVET_RETURN_IF_ERROR(reader.path(reader.call.path, from.directory, from.index));
    return reader.path(reader.call.second, to.directory, to.index);
}

[[nodiscard]] CallDecoder findAtDecoder(int number)
{
    using Reader = ArgumentReader;
    switch (number) {
    case SYS_mkdirat:
        return [](Reader& reader) { return makeDirectory(reader, {reader.integer(0), 1}); };
    case SYS_mknodat:
        return [](Reader& reader) { return makeNode(reader, {reader.integer(0), 1}); };
    case SYS_symlinkat:
        return [](Reader& reader) { return makeSymlink(reader, {reader.integer(1), 2}); };
    case SYS_linkat:
        return [](Reader& reader) {
            return makeLink(reader, {reader.integer(0), 1}, {reader.integer(2), 3}, reader.bits(4));
        };
    case SYS_unlinkat:
        return [](Reader& reader) { return removeName(reader, {reader.integer(0), 1}, reader.bits(2)); };
    case SYS_renameat:
        return [](Reader& reader) {
            return rename(reader, {reader.integer(0), 1}, {reader.integer(2), 3}, 0);
        };
    case SYS_renameat2:
        return [](Reader& reader) {
            return rename(reader, {reader.integer(0), 1}, {reader.integer(2), 3}, reader.bits(4));
        };
    default:
        return nullptr;
    }
}

} // namespace

CallDecoder findNameDecoder(int number)
{
    using Reader = ArgumentReader;
    switch (number) {
    case SYS_mkdir:
        return [](Reader& reader) { return makeDirectory(reader, {AT_FDCWD, 0}); };
    case SYS_mknod:
        return [](Reader& reader) { return makeNode(reader, {AT_FDCWD, 0}); };
    case SYS_symlink:
        return [](Reader& reader) { return makeSymlink(reader, {AT_FDCWD, 1}); };
    case SYS_link:
        return [](Reader& reader) { return makeLink(reader, {AT_FDCWD, 0}, {AT_FDCWD, 1}, 0); };
    case SYS_unlink:
        return [](Reader& reader) { return removeName(reader, {AT_FDCWD, 0}, 0); };
    case SYS_rmdir:
        return [](Reader& reader) { return removeName(reader, {AT_FDCWD, 0}, AT_REMOVEDIR); };
    case SYS_rename:
        return [](Reader& reader) { return rename(reader, {AT_FDCWD, 0}, {AT_FDCWD, 1}, 0); };
    default:
        return findAtDecoder(number);
    }
}

} // namespace revet::supervisor
