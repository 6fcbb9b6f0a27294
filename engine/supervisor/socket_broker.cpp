// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/socket_broker.h"

#include "engine/os/interruption.h"
#include "engine/supervisor/granted_places.h"
#include "engine/supervisor/socket_address.h"
#include "engine/supervisor/thread_state.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace revet::supervisor {

namespace {

/// Whether the host's own tree has the place under the same path. Every component of it below the root
/// changes only by us, one call at a time, and those above are the host's.
bool isSameOnHost(const Place& place)
{
    struct stat onHost = {};
    struct stat inBox = {};
    return ::stat(place.directoryPath.c_str(), &onHost) == 0 && ::fstat(place.directory.get(), &inBox) == 0
        && onHost.st_dev == inBox.st_dev && onHost.st_ino == inBox.st_ino;
}

int bindAs(int socket, const std::string& name)
{
    struct sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    if (name.size() >= sizeof address.sun_path) {
        errno = EINVAL;
        return -1;
    }
    std::memcpy(static_cast<char*>(address.sun_path), name.data(), name.size());
    // The sockets interface asks for this cast.
    return ::bind(socket, reinterpret_cast<const struct sockaddr*>(&address),
                  static_cast<socklen_t>(offsetof(struct sockaddr_un, sun_path) + name.size() + 1));
}

/// Waits a moment at most, whatever the socket's own mode, which is the box's and stays as it is; 0, or the
/// errno of connect(2).
int connectBriefly(int socket, const std::string& address)
{
    const auto interruption = os::Interruption::after(std::chrono::milliseconds(1));
    if (!interruption) {
        return interruption.error().errnoValue;
    }
    // The sockets interface asks for this cast.
    const int result = ::connect(socket, reinterpret_cast<const struct sockaddr*>(address.data()),
                                 static_cast<socklen_t>(address.size()));
    return result == 0 ? 0 : errno;
}

std::string addressOf(const std::string& path)
{
    struct sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::memcpy(static_cast<char*>(address.sun_path), path.data(), path.size());
    return {reinterpret_cast<const char*>(&address),
            offsetof(struct sockaddr_un, sun_path) + path.size() + 1};
}

bool isBlocking(int socket)
{
    return (::fcntl(socket, F_GETFL) & O_NONBLOCK) == 0;
}

/// Whether a blocking connect(2) is still under way.
bool isUnderWay(int socket, int error)
{
    return error == EINTR
        || (isBlocking(socket) && (error == EAGAIN || error == EINPROGRESS || error == EALREADY));
}

/// Its first packet has gone out and is not answered yet.
bool isAwaitingAnswer(int socket)
{
    struct tcp_info info = {};
    socklen_t length = sizeof info;
    return ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) == 0
        && info.tcpi_state == TCP_SYN_SENT;
}

} // namespace

Answer SocketBroker::connect(const Call& call, Target& target) const
{
    const auto socket = target.duplicateDescriptor(call.socket);
    if (!socket) {
        return Answer::failure(socket.error().errnoValue);
    }
    if (!call.path.path.empty()) {
        return connectLocal(call, target, socket->get());
    }
    const auto bytes = std::as_bytes(std::span(call.value));
    const SocketAddress address = parseSocketAddress(bytes);
    if (m_context.network != nullptr && m_context.network->records(address)) {
        return connectOutside(call, target.tid(), socket->get());
    }
    const int error = connectBriefly(socket->get(), call.value);
    if (isUnderWay(socket->get(), error)) {
        return Answer::later();
    }
    const Deed deed{target.tid(), ActionKind::Connect, nullptr, call.text, {}, 0};
    if (error == ENETUNREACH || error == EHOSTUNREACH) {
        return m_context.facts.denied(deed, {"no network", error});
    }
    if (error == EINPROGRESS) { // under way on a non-blocking socket: for the program that is no failure
        Answer answer = m_context.facts.succeeded(deed);
        answer.kind = Answer::Kind::Fail;
        answer.errnoValue = error;
        return answer;
    }
    return error == 0 ? m_context.facts.succeeded(deed) : m_context.facts.failed(deed, error);
}

Answer SocketBroker::connectOutside(const Call& call, int tid, int socket) const
{
    struct stat status = {};
    if (::fstat(socket, &status) != 0) {
        return Answer::failure(errno);
    }
    m_context.network->connecting(tid, status.st_ino);
    // Many may be held, for long, and while one is waited for no other call gets its turn.
    if (isBlocking(socket) && isAwaitingAnswer(socket)) {
        return Answer::later();
    }
    const int error = connectBriefly(socket, call.value);
    if (isUnderWay(socket, error)) {
        return Answer::later();
    }
    return error == 0 ? Answer::success(0) : Answer::failure(error);
}

Answer SocketBroker::connectLocal(const Call& call, Target& target, int socket) const
{
    int domain = 0;
    socklen_t length = sizeof domain;
    if (::getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &length) != 0) {
        return Answer::failure(errno);
    }
    const auto claim = m_context.resolver.claim(target, call.path);
    const auto found = claim ? m_context.resolver.object(*claim, LastLink::Follow) : fail(claim.error());
    Deed deed{target.tid(), ActionKind::Connect, nullptr, call.text, {}, 0};
    if (!found) {
        return m_context.facts.failed(deed, found.error().errnoValue);
    }
    deed.target = found->path;
    if (domain != AF_UNIX) {
        return m_context.facts.failed(deed, EAFNOSUPPORT);
    }
    if (!S_ISSOCK(found->status.st_mode)) {
        return m_context.facts.failed(deed, ECONNREFUSED);
    }
    const BoxView& box = m_context.box;
    if (found->path == box.ownSocket) {
        deed.rule = "box socket";
    } else if (std::ranges::any_of(box.relayedSockets,
                                   [&](const auto& ours) { return ours.is(found->path, found->status); })
               || (box.granted && box.granted->relays(found->path, found->status))) {
        deed.rule = "host socket";
        deed.reach = Reach::Machine;
    } else if (isOfTheHost(*found)) {
        return m_context.facts.denied(deed, {"host socket", ECONNREFUSED});
    }
    const int error = connectBriefly(socket, addressOf(throughProc(found->object.get())));
    if (isUnderWay(socket, error)) {
        return Answer::later();
    }
    return error == 0 ? m_context.facts.succeeded(deed) : m_context.facts.failed(deed, error);
}

bool SocketBroker::isOfTheHost(const Found& found) const
{
    const bool isInHostPlace = m_context.resolver.isInHostPlace(found.path);
    if (found.root != nullptr && found.root->kind == Root::Kind::Layered && !isInHostPlace) {
        // Seen through the layer it is another inode, which nobody listens on: the kernel would refuse.
        struct stat status = {};
        const std::string relative(relativeTo(*found.root, found.path));
        return ::fstatat(found.root->upper.get(), relative.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0;
    }
    return (isBrokered(found.root) || isInHostPlace) && !m_context.sockets.contains(found.object.get());
}

Answer SocketBroker::bind(const Call& call, Target& target) const
{
    const auto claim = m_context.resolver.claim(target, call.path);
    const auto place = claim ? m_context.resolver.place(*claim) : fail(claim.error());
    const bool isInHostPlace = place && m_context.resolver.isInHostPlace(place->directoryPath);
    if (!place || (!isBrokered(place->root) && !isInHostPlace)) {
        return Answer::proceed();
    }
    const Deed deed{target.tid(), ActionKind::Listen, place->root, place->path(), {}, 0};
    const auto socket = target.duplicateDescriptor(call.socket);
    if (!socket) {
        return m_context.facts.failed(deed, socket.error().errnoValue);
    }
    int domain = 0;
    socklen_t length = sizeof domain;
    if (::getsockopt(socket->get(), SOL_SOCKET, SO_DOMAIN, &domain, &length) != 0 || domain != AF_UNIX) {
        return m_context.facts.failed(deed, errno == ENOTSOCK ? ENOTSOCK : EINVAL);
    }
    auto refusal = isInHostPlace ? Judgement() : m_context.guard.creating(*place, EntryKind::Other, {});
    if (!refusal && isBrokered(place->root)) {
        refusal = m_context.preImages.creating(*place);
    }
    if (refusal) {
        return m_context.facts.denied(deed, *refusal);
    }
    applyFileModeMask(target.fileModeMask());
    const std::string& written = call.path.path;
    // A host place may be read-only in the keeper's tree, and is not on the host.
    if (!isInHostPlace && written == deed.target && isSameOnHost(*place)) {
        return bound(deed, *place, bindAs(socket->get(), written));
    }
    ownWorkingDirectory();
    if (::fchdir(place->directory.get()) != 0) {
        return bound(deed, *place, -1);
    }
    const int result = bindAs(socket->get(), place->name);
    const int error = errno;
    // A working directory would keep the box's mount busy.
    if (::chdir("/") != 0) {
        return Answer::failure(EACCES);
    }
    errno = error;
    return bound(deed, *place, result);
}

Answer SocketBroker::bound(const Deed& deed, const Place& place, int result) const
{
    const int error = errno;
    if (result == 0) {
        m_context.sockets.add(place.directory.get(), place.name.c_str());
    }
    if (isBrokered(place.root)) {
        result == 0 ? m_context.preImages.created(place) : m_context.preImages.failed();
    }
    errno = error;
    return m_context.facts.outcome(deed, result);
}

} // namespace revet::supervisor
