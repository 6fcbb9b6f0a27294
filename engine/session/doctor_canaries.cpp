// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "engine/session/doctor_canaries.h"

#include "engine/domain/ids.h"

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <linux/keyctl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

namespace revet::session {

namespace {

constexpr const char* kSecretVariable = "REVET_CANARY_TOKEN";
// Possessor only: without it every process of the user would see the key, whatever its keyring.
constexpr long kPossessorAll = 0x3f000000;

Result<UniqueFd> listenAt(const sockaddr* address, socklen_t size)
{
    UniqueFd socket(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket || ::bind(socket.get(), address, size) != 0 || ::listen(socket.get(), 4) != 0) {
        return failErrno("listen for a box's calls");
    }
    return socket;
}

template<typename Address>
const sockaddr* generic(const Address& address)
{
    return reinterpret_cast<const sockaddr*>(&address);
}

/// The port that the kernel chose; sin_port lies at the same place in both families.
int portOf(const UniqueFd& socket)
{
    sockaddr_in6 address{};
    socklen_t size = sizeof address;
    ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin6_port);
}

} // namespace

Result<DoctorCanaries> DoctorCanaries::create(const std::filesystem::path& outside,
                                              const std::filesystem::path& project,
                                              const std::filesystem::path& probe)
{
    DoctorCanaries canaries;
    const std::string mark = "revet-canary-" + SessionId::generate().text();
    canaries.m_facts = {"outside=" + outside.string(), "project=" + project.string(), "mark=" + mark};
    REVET_RETURN_IF_ERROR(canaries.listenOnLoopback());
    REVET_RETURN_IF_ERROR(
        canaries.listenLocally("abstract-socket=" + mark, "abstract socket", std::string(1, '\0') + mark));
    const std::string hidden = outside / "canary.sock";
    REVET_RETURN_IF_ERROR(canaries.listenLocally("hidden-socket=" + hidden, "path socket", hidden));
    const std::string visible = project / "canary.sock";
    REVET_RETURN_IF_ERROR(
        canaries.listenLocally("project-socket=" + visible, "socket in the project", visible));

    REVET_ASSIGN_OR_RETURN(auto process, DoctorProcess::start({{probe.string(), "wait", mark}, {}, {}}));
    canaries.m_facts.push_back("process=" + std::to_string(process.pid()));
    canaries.m_processes.push_back(std::move(process));

    const UniqueFd directory(::open(outside.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    canaries.m_inheritable.reset(::dup(directory.get())); // NOLINT(android-cloexec-dup): the point of it
    if (!canaries.m_inheritable) {
        return failErrno("open " + outside.string());
    }
    ::setenv(kSecretVariable, mark.c_str(), 1); // NOLINT(concurrency-mt-unsafe): no other thread yet
    canaries.makeKey(mark);
    return canaries;
}

DoctorCanaries::~DoctorCanaries()
{
    if (m_inheritable) { // not moved from
        ::unsetenv(kSecretVariable); // NOLINT(concurrency-mt-unsafe): no other thread any more
        if (m_key >= 0) {
            ::syscall(SYS_keyctl, KEYCTL_INVALIDATE, m_key);
        }
    }
}

Result<void> DoctorCanaries::listenOnLoopback()
{
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REVET_ASSIGN_OR_RETURN(auto listener4, listenAt(generic(four), sizeof four));
    m_facts.push_back("port4=" + std::to_string(portOf(listener4)));
    m_listeners.push_back({"IPv4 loopback", std::move(listener4)});

    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_addr = in6addr_loopback;
    if (auto listener6 = listenAt(generic(six), sizeof six)) { // a machine may have no IPv6
        m_facts.push_back("port6=" + std::to_string(portOf(*listener6)));
        m_listeners.push_back({"IPv6 loopback", std::move(*listener6)});
    }
    return {};
}

Result<void> DoctorCanaries::listenLocally(const std::string& fact, const std::string& name,
                                           const std::string& address)
{
    sockaddr_un un{};
    un.sun_family = AF_UNIX;
    if (address.size() >= sizeof un.sun_path) {
        return fail(ErrorCode::LimitExceeded, "listen at " + address,
                    "the path is too long for a socket; set XDG_CACHE_HOME to a shorter one");
    }
    std::memcpy(un.sun_path, address.data(), address.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.size());
    REVET_ASSIGN_OR_RETURN(auto listener, listenAt(generic(un), size));
    m_facts.push_back(fact);
    m_listeners.push_back({name, std::move(listener)});
    return {};
}

void DoctorCanaries::makeKey(const std::string& mark)
{
    m_key = ::syscall(SYS_add_key, "user", mark.c_str(), "secret", 6, KEY_SPEC_SESSION_KEYRING);
    if (m_key >= 0 && ::syscall(SYS_keyctl, KEYCTL_SETPERM, m_key, kPossessorAll) == 0) {
        m_facts.push_back("key=" + mark);
    }
}

std::vector<DoctorCheck> DoctorCanaries::hostChecks() const
{
    std::string callers;
    for (const Listener& listener : m_listeners) {
        const UniqueFd caller(::accept4(listener.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (caller) {
            callers += (callers.empty() ? "" : ", ") + listener.name;
        }
    }
    const bool isAlive = m_processes.front().isRunning();
    using Status = DoctorCheck::Status;
    return {{"host: nobody called",
             callers.empty() ? Status::Ok : Status::Unavailable,
             callers.empty() ? "no listener was reached" : "reached: " + callers,
             {}},
            {"host: its process lives",
             isAlive ? Status::Ok : Status::Unavailable,
             isAlive ? "no signal arrived" : "a process of the host was ended",
             {}}};
}

} // namespace revet::session
