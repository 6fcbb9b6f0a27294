// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

// control_stranger plain|filtered|userns|mountns SOCKET [listen]: connects in that state and sends one frame.
// Exit 0 when an answer came, 1 when the other side hung up without one, 2 when the state could not be
// reached. With "listen" it is the session: it greets one client, and exits 0 when that has greeted it.

#include <cstddef>
#include <cstring>
#include <string>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace {

bool filterMyself()
{
    sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const sock_fprog program = {1, &allow};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
        && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool become(const std::string& state)
{
    if (state == "filtered") {
        return filterMyself();
    }
    if (state == "userns") {
        return ::unshare(CLONE_NEWUSER) == 0;
    }
    if (state == "mountns") {
        return ::unshare(CLONE_NEWUSER) == 0 && ::unshare(CLONE_NEWNS) == 0;
    }
    return state == "plain";
}

constexpr char kHello[] = R"({"version":1,"type":"hello"})";

int serve(int fd, const sockaddr_un& address)
{
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the sockets API wants it so
    if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0
        || ::listen(fd, 1) != 0) {
        return 2;
    }
    const int client = ::accept(fd, nullptr, nullptr);
    char greeting = 0;
    return ::recv(client, &greeting, sizeof greeting, 0) > 0
            && ::send(client, kHello, sizeof kHello - 1, MSG_NOSIGNAL) > 0
        ? 0
        : 1;
}

} // namespace

int main(int argc, char** argv)
{
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    const bool listens = argc == 4 && std::strcmp(argv[3], "listen") == 0;
    if ((argc != 3 && !listens) || std::strlen(argv[2]) >= sizeof address.sun_path || !become(argv[1])) {
        return 2;
    }
    std::memcpy(address.sun_path, argv[2], std::strlen(argv[2]));
    const int fd = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (listens) {
        return serve(fd, address);
    }
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the sockets API wants it so
    if (fd < 0 || ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        return 2;
    }
    if (::send(fd, kHello, sizeof kHello - 1, MSG_NOSIGNAL) < 0) {
        return 1;
    }
    char reply = 0;
    return ::recv(fd, &reply, sizeof reply, 0) > 0 ? 0 : 1;
}
