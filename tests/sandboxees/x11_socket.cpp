// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// Looks for a display server: by socket and by the variables that would name one.

#include "tests/sandboxees/deed.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace victim = revet::victim;

namespace {

int connectLocal(const std::string& name)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (name.size() >= sizeof(address.sun_path)) {
        return ENAMETOOLONG;
    }
    std::copy(name.begin(), name.end(), address.sun_path);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return errno;
    }
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    const int result = victim::outcome(::connect(fd, reinterpret_cast<const sockaddr*>(&address), size));
    ::close(fd);
    return result;
}

} // namespace

int main()
{
    victim::Report report;
    const std::string display = "/tmp/.X11-unix/X0";
    report.attempt("path", connectLocal(display));
    report.attempt("abstract", connectLocal(std::string(1, '\0') + display));
    const std::string runtime = "/run/user/" + std::to_string(::getuid()) + "/";
    report.attempt("wayland", connectLocal(runtime + "wayland-0"));
    report.attempt("pipewire", connectLocal(runtime + "pipewire-0"));
    constexpr std::array<const char*, 5> kVariables{"DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET",
                                                    "XAUTHORITY", "XDG_RUNTIME_DIR"};
    for (const char* const name : kVariables) {
        // One thread only.
        const char* const value = std::getenv(name); // NOLINT(concurrency-mt-unsafe)
        victim::say({"variable ", name, " ", value != nullptr ? value : "unset"});
    }
    return report.status();
}
