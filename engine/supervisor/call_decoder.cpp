// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/call_decoder.h"

#include "engine/supervisor/argument_reader.h"

#include <cerrno>

#include <fcntl.h>

namespace revet::supervisor {
namespace {

[[nodiscard]] CallDecoder findDecoder(int number)
{
    if (const CallDecoder open = findOpenDecoder(number)) {
        return open;
    }
    if (const CallDecoder name = findNameDecoder(number)) {
        return name;
    }
    return findAttributeDecoder(number);
}

} // namespace

Result<Call> decodeCall(const os::Notification& notification, Target& target)
{
    const CallDecoder decode = findDecoder(notification.number);
    if (decode == nullptr) {
        return refuseArgument(ENOSYS);
    }
    ArgumentReader reader(notification, target);
    REVET_RETURN_IF_ERROR(decode(reader));
    return std::move(reader.call);
}

bool isReadingOpen(const Call& call)
{
    constexpr std::uint64_t kChanging = O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
    const bool isPathOnly = (call.flags & O_PATH) != 0;
    return call.operation == Operation::Open
        && (isPathOnly || ((call.flags & O_ACCMODE) == O_RDONLY && (call.flags & kChanging) == 0));
}

} // namespace revet::supervisor
