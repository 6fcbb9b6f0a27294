// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/supervisor/socket_broker.h"

#include "engine/supervisor/thread_state.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
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

} // namespace

Answer SocketBroker::bind(const Call& call, Target& target) const
{
    const auto claim = m_context.resolver.claim(target, call.path);
    const auto place = claim ? m_context.resolver.place(*claim) : fail(claim.error());
    if (!place || !isBrokered(place->root)) {
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
    if (auto refusal = m_context.guard.creating(*place, EntryKind::Other, {})) {
        return m_context.facts.denied(deed, *refusal);
    }
    applyFileModeMask(target.fileModeMask());
    const std::string& written = call.path.path;
    if (written == deed.target && isSameOnHost(*place)) {
        return m_context.facts.outcome(deed, bindAs(socket->get(), written));
    }
    ownWorkingDirectory();
    if (::fchdir(place->directory.get()) != 0) {
        return m_context.facts.failed(deed, errno);
    }
    const int result = bindAs(socket->get(), place->name);
    const int error = errno;
    // A working directory would keep the box's mount busy.
    if (::chdir("/") != 0) {
        return Answer::failure(EACCES);
    }
    errno = error;
    return m_context.facts.outcome(deed, result);
}

} // namespace revet::supervisor
