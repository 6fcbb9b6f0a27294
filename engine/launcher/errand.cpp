// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/launcher/errand.h"

#include "engine/base/bytes.h"
#include "engine/os/netlink.h"

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace revet::launcher {

namespace {

constexpr int kBacklog = 128;

Result<UniqueFd> openStream(bool isV6)
{
    UniqueFd socket(::socket(isV6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    return socket ? Result<UniqueFd>(std::move(socket)) : failErrno("open a socket of the box's network");
}

template<typename Address>
bool bindTo(int socket, const Address& address)
{
    // The sockets interface asks for this cast.
    return ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

bool bindToLoopback(int socket, const Errand& errand)
{
    if (errand.isV6) {
        sockaddr_in6 address{};
        address.sin6_family = AF_INET6;
        address.sin6_port = htons(errand.port);
        address.sin6_addr = in6addr_loopback;
        return bindTo(socket, address);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(errand.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return bindTo(socket, address);
}

} // namespace

std::string encode(const Errand& errand)
{
    ByteWriter writer;
    writer.number(static_cast<std::uint8_t>(errand.kind));
    writer.number(static_cast<std::uint8_t>(errand.isV6 ? 1 : 0));
    writer.number(errand.port);
    writer.number(static_cast<std::uint8_t>(errand.isReadOnly ? 1 : 0));
    writer.number(errand.device);
    writer.number(errand.inode);
    writer.string(errand.source);
    writer.string(errand.target);
    return writer.take();
}

Result<Errand> decodeErrand(std::string_view bytes)
{
    ByteReader reader(bytes);
    Errand errand;
    REVET_ASSIGN_OR_RETURN(const auto kind, reader.number<std::uint8_t>());
    REVET_ASSIGN_OR_RETURN(const auto isV6, reader.number<std::uint8_t>());
    REVET_ASSIGN_OR_RETURN(errand.port, reader.number<std::uint16_t>());
    REVET_ASSIGN_OR_RETURN(const auto isReadOnly, reader.number<std::uint8_t>());
    REVET_ASSIGN_OR_RETURN(errand.device, reader.number<std::uint64_t>());
    REVET_ASSIGN_OR_RETURN(errand.inode, reader.number<std::uint64_t>());
    REVET_ASSIGN_OR_RETURN(errand.source, reader.string(kMaximumErrandPath));
    REVET_ASSIGN_OR_RETURN(errand.target, reader.string(kMaximumErrandPath));
    const bool mounts = kind == static_cast<std::uint8_t>(Errand::Kind::Mount)
        || kind == static_cast<std::uint8_t>(Errand::Kind::Cover);
    const bool unmounts = kind == static_cast<std::uint8_t>(Errand::Kind::Unmount);
    if (kind >= kErrandKindCount || isV6 > 1 || isReadOnly > 1 || !reader.atEnd()
        || errand.source.starts_with('/') != mounts
        || errand.target.starts_with('/') != (mounts || unmounts)) {
        return fail(ErrorCode::Malformed, "read an errand");
    }
    errand.kind = static_cast<Errand::Kind>(kind);
    errand.isV6 = isV6 == 1;
    errand.isReadOnly = isReadOnly == 1;
    return errand;
}

Result<UniqueFd> runErrand(const Errand& errand)
{
    switch (errand.kind) {
    case Errand::Kind::Stream:
        return openStream(errand.isV6);
    case Errand::Kind::Listener: {
        REVET_ASSIGN_OR_RETURN(UniqueFd socket, openStream(errand.isV6));
        const int on = 1; // connections of a listener before this one are no hindrance
        if (::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0
            || !bindToLoopback(socket.get(), errand) || ::listen(socket.get(), kBacklog) != 0) {
            return failErrno("listen in the box at port " + std::to_string(errand.port));
        }
        return socket;
    }
    case Errand::Kind::Lookup: {
        REVET_ASSIGN_OR_RETURN(os::NetlinkSocket socket, os::NetlinkSocket::open(NETLINK_SOCK_DIAG));
        return socket.take();
    }
    case Errand::Kind::Mount:
    case Errand::Kind::Cover:
    case Errand::Kind::Unmount:
        break; // LiveMounts does them
    }
    return fail(ErrorCode::Malformed, "run an errand");
}

} // namespace revet::launcher
