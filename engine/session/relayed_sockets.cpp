// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/relayed_sockets.h"

#include "engine/base/directory.h"
#include "engine/domain/display_escape.h"
#include "engine/os/open_beneath.h"
#include "engine/session/own_places.h"
#include "engine/session/project_finder.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace revet::session {

namespace {

namespace fs = std::filesystem;

constexpr int kBacklog = 128;

Result<UniqueFd> openLocalSocket(int type)
{
    UniqueFd socket(::socket(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    return socket ? Result<UniqueFd>(std::move(socket)) : failErrno("open a local socket");
}

Result<sockaddr_un> addressOf(const std::string& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) {
        return fail(Error{ErrorCode::InvalidArgument, "name a local socket", ENAMETOOLONG, path});
    }
    std::memcpy(&address.sun_path, path.data(), path.size());
    return address;
}

/// Whether the way to `path`, by all of its links, passes through one of `places`.
bool leadsThrough(const fs::path& path, const std::vector<std::string>& places)
{
    constexpr int kMostLinks = 40; // as the kernel: path_resolution(7)
    int links = 0;
    std::deque<fs::path> rest(path.begin(), path.end());
    fs::path way;
    while (!rest.empty()) {
        const fs::path name = std::move(rest.front());
        rest.pop_front();
        if (name.empty() || name == "." || name == "..") {
            way = name == ".." ? way.parent_path() : way;
            continue;
        }
        const fs::path at = way / name;
        if (std::ranges::any_of(places, [&at](const auto& place) { return isWithin(at.string(), place); })) {
            return true;
        }
        std::error_code error;
        if (!fs::is_symlink(at, error)) {
            way = at;
        } else if (const fs::path next = fs::read_symlink(at, error); !error && ++links <= kMostLinks) {
            rest.insert(rest.begin(), next.begin(), next.end());
        } else {
            return true;
        }
    }
    return false;
}

} // namespace

Result<UniqueFd> listenLocally(const fs::path& path, int type)
{
    const UniqueFd directory(::open(path.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory) {
        return failErrno("open " + path.parent_path().string());
    }
    // An address is shorter than a path may be, a descriptor's name never is.
    REVET_ASSIGN_OR_RETURN(
        const auto address,
        addressOf("/proc/self/fd/" + std::to_string(directory.get()) + "/" + path.filename().string()));
    REVET_ASSIGN_OR_RETURN(UniqueFd socket, openLocalSocket(type));
    // The sockets interface asks for this cast.
    if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0
        || ::listen(socket.get(), kBacklog) != 0) {
        return failErrno("listen at " + path.string());
    }
    return socket;
}

Result<std::vector<RelayedSocket>> makeRelayedSockets(const std::vector<std::string>& paths,
                                                      const fs::path& sessionDirectory,
                                                      const std::vector<std::string>& changeable,
                                                      const Places& places, const std::string& prefix)
{
    std::vector<RelayedSocket> sockets;
    for (const std::string& path : paths) {
        struct stat status = {};
        std::error_code error;
        const std::string real = fs::canonical(path, error).string();
        if (error || ::stat(real.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) {
            return fail(ErrorCode::InvalidArgument, "relay " + displayQuoted(path),
                        "name a local socket that exists");
        }
        if (leadsThrough(path, changeable)) {
            return fail(ErrorCode::Refused, "relay " + displayQuoted(path),
                        "it lies where the box can put another in its place");
        }
        if (meetsOwnPlaces(PathKin(real), places)) {
            return fail(ErrorCode::Refused, "relay " + displayQuoted(path), "it is Revet's own");
        }
        const auto directory = sessionDirectory / "sockets";
        REVET_RETURN_IF_ERROR(makePrivateDirectory(directory));
        const auto ours = directory / (prefix + std::to_string(sockets.size()));
        REVET_ASSIGN_OR_RETURN(UniqueFd listener, listenLocally(ours, SOCK_STREAM));
        sockets.push_back({path, real, ours.string(), std::move(listener)});
    }
    return sockets;
}

Result<UniqueFd> connectLocally(const std::string& path)
{
    const UniqueFd top(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    const UniqueFd service(os::openBeneath(top.get(), path.substr(1), O_PATH));
    struct stat status = {};
    if (!service || ::fstat(service.get(), &status) != 0) {
        return failErrno("connect to " + path);
    }
    if (!S_ISSOCK(status.st_mode)) {
        return fail(Error{ErrorCode::System, "connect to " + path, ECONNREFUSED, {}});
    }
    REVET_ASSIGN_OR_RETURN(const auto address, addressOf("/proc/self/fd/" + std::to_string(service.get())));
    REVET_ASSIGN_OR_RETURN(UniqueFd socket, openLocalSocket(SOCK_STREAM));
    // The sockets interface asks for this cast.
    return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0
        ? Result<UniqueFd>(std::move(socket))
        : failErrno("connect to " + path);
}

} // namespace revet::session
