// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/workspace/access_lists.h"

#include "engine/base/bytes.h"
#include "engine/os/socket.h"
#include "engine/workspace/attributes.h"

#include <cerrno>

#include <linux/close_range.h>
#include <linux/limits.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace revet::workspace {

namespace {

constexpr std::size_t kMostBytes = std::size_t{XATTR_SIZE_MAX} + 1024;

enum class Wish : std::uint8_t { Read, Set, Remove };

/// To the process that stays behind; none in that itself, and where there is none.
UniqueFd& outside()
{
    static UniqueFd socket;
    return socket;
}

std::string answer(const std::string& question, int object)
{
    ByteReader reader(question);
    const auto wish = reader.number<std::uint8_t>();
    const auto name = reader.string(XATTR_NAME_MAX);
    const auto value = reader.string(XATTR_SIZE_MAX);
    Result<std::optional<std::string>> read = fail(Error::fromErrno("read the question", EINVAL));
    if (wish && name && value && isAccessList(*name)) {
        if (*wish == static_cast<std::uint8_t>(Wish::Read)) {
            read = attributeOf(object, *name);
        } else {
            const bool sets = *wish == static_cast<std::uint8_t>(Wish::Set);
            const auto changed
                = changeAttribute(object, *name, sets ? value.value() : std::optional<std::string>());
            read = changed ? Result<std::optional<std::string>>(std::nullopt) : fail(changed.error());
        }
    }
    ByteWriter writer;
    writer.number(static_cast<std::int32_t>(read                               ? 0
                                                : read.error().errnoValue == 0 ? EIO
                                                                               : read.error().errnoValue));
    writer.number(static_cast<std::uint8_t>(read && *read ? 1 : 0));
    writer.string(read && *read ? **read : std::string());
    return writer.bytes();
}

/// Until nobody is left to ask.
[[noreturn]] void stayBehind(int socket)
{
    ::setsid(); // who is asked what to do with a Ctrl-C is the other one
    const auto end = static_cast<unsigned>(socket);
    ::syscall(SYS_close_range, 0U, end - 1, 0U);
    ::syscall(SYS_close_range, end + 1, ~0U, 0U);
    while (const auto packet = os::receivePacket(socket, kMostBytes)) {
        if (packet->descriptors.size() != 1
            || !os::sendPacket(socket, answer(packet->bytes, packet->descriptors.front().get()))) {
            break;
        }
    }
    ::_exit(0);
}

Result<std::optional<std::string>> ask(Wish wish, int object, const std::string& name,
                                       const std::string& value)
{
    ByteWriter writer;
    writer.number(static_cast<std::uint8_t>(wish));
    writer.string(name);
    writer.string(value);
    REVET_RETURN_IF_ERROR(os::sendPacket(outside().get(), writer.bytes(), {&object, 1}));
    REVET_ASSIGN_OR_RETURN(const auto packet, os::receivePacket(outside().get(), kMostBytes));
    ByteReader reader(packet.bytes);
    REVET_ASSIGN_OR_RETURN(const auto error, reader.number<std::int32_t>());
    REVET_ASSIGN_OR_RETURN(const auto isThere, reader.number<std::uint8_t>());
    REVET_ASSIGN_OR_RETURN(std::string read, reader.string(XATTR_SIZE_MAX));
    if (error != 0) {
        return fail(Error::fromErrno((wish == Wish::Read ? "read the " : "set the ") + name, error));
    }
    return isThere != 0 ? std::optional(std::move(read)) : std::nullopt;
}

} // namespace

bool isAccessList(std::string_view name)
{
    return name.starts_with("system.posix_acl_");
}

Result<void> keepAccessListsWhole()
{
    REVET_ASSIGN_OR_RETURN(auto ends, os::packetSocketPair());
    const pid_t child = ::fork();
    if (child == 0) {
        stayBehind(ends.second.get());
    }
    if (child < 0) {
        return failErrno("leave a process behind");
    }
    outside() = std::move(ends.first);
    return {};
}

bool areAccessListsKept()
{
    return outside().isOpen();
}

Result<std::optional<std::string>> keptAccessList(int object, const std::string& name)
{
    return ask(Wish::Read, object, name, {});
}

Result<void> changeKeptAccessList(int object, const std::string& name,
                                  const std::optional<std::string>& value)
{
    const auto changed = ask(value ? Wish::Set : Wish::Remove, object, name, value.value_or(""));
    return changed ? Result<void>() : fail(changed.error());
}

} // namespace revet::workspace
