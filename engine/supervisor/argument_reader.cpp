// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/argument_reader.h"

#include <cerrno>

#include <fcntl.h>

namespace revet::supervisor {

ArgumentReader::ArgumentReader(const os::Notification& notification, Target& target)
    : m_notification(notification)
    , m_target(target)
{
    call.notification = notification.id;
}

Result<void> ArgumentReader::path(PathArgument& into, int directory, unsigned index)
{
    return pathOrDescriptor(into, directory, index, 0);
}

Result<void> ArgumentReader::pathOrDescriptor(PathArgument& into, int directory, unsigned index,
                                              unsigned atFlags)
{
    REVET_ASSIGN_OR_RETURN(into.path, m_target.readString(raw(index)));
    into.directory = directory;
    if (!into.path.empty()) {
        return {};
    }
    if ((atFlags & AT_EMPTY_PATH) == 0) {
        return refuseArgument(ENOENT);
    }
    if (directory == AT_FDCWD) {
        into.path = ".";
        return {};
    }
    into.isDescriptor = true;
    return {};
}

void ArgumentReader::descriptor(PathArgument& into, unsigned index) const
{
    into.directory = integer(index);
    into.isDescriptor = true;
}

Result<void> ArgumentReader::text(std::string& into, unsigned index)
{
    REVET_ASSIGN_OR_RETURN(into, m_target.readString(raw(index)));
    return {};
}

Result<void> ArgumentReader::bytes(std::string& into, std::uint64_t address, std::size_t size)
{
    into.resize(size);
    return size == 0 ? Result<void>() : m_target.readBytes(address, std::as_writable_bytes(std::span(into)));
}

tl::unexpected<Error> refuseArgument(int errnoValue)
{
    return fail(Error::fromErrno("decode a call", errnoValue));
}

} // namespace revet::supervisor
