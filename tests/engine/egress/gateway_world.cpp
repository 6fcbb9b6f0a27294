// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/engine/egress/gateway_world.h"

#include "engine/base/assert.h"
#include "engine/domain/error_line.h"
#include "engine/os/socket.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <net/if.h>

namespace revet::test {

namespace {

constexpr const char* kPrelude = R"(
import errno, os, signal, socket, ssl, struct, sys, time
def message(name, kind):
    labels = b''.join(bytes([len(l)]) + l.encode() for l in name.split('.')) + b'\0'
    return struct.pack('>6H', 7, 0x100, 1, 0, 0, 0) + labels + struct.pack('>2H', kind, 1)
def parsed(data):
    status, answers = data[3] & 15, struct.unpack('>H', data[6:8])[0]
    return status, answers, data
def ask(name, kind=1, tcp=False):
    if tcp:
        s = socket.create_connection(('198.18.0.1', 53), 5)
        m = message(name, kind)
        s.sendall(struct.pack('>H', len(m)) + m)
        size = struct.unpack('>H', s.recv(2))[0]
        return parsed(s.recv(size))
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(5)
    s.connect(('198.18.0.1', 53))
    s.send(message(name, kind))
    return parsed(s.recv(2000))
def address(name):
    status, answers, data = ask(name)
    return socket.inet_ntoa(data[-4:]) if answers else 'status %d' % status
def outcome(call):
    try:
        return call() or 'done'
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error))
def connecting(host, port, family=socket.AF_INET, patience=None):
    def call():
        s = socket.socket(family, socket.SOCK_STREAM)
        s.settimeout(patience)
        s.connect((host, port))
        return 'connected'
    return outcome(call)
def opened(name, port):
    s = socket.socket()
    s.settimeout(20)
    s.connect((address(name), port))
    return s
def everything(s):
    data = b''
    while chunk := s.recv(65536):
        data += chunk
    return data
)";

std::string readToEnd(int fd)
{
    std::string text;
    std::array<char, 4096> buffer{};
    for (;;) {
        const ssize_t size = ::read(fd, buffer.data(), buffer.size());
        if (size <= 0) {
            return text;
        }
        text.append(buffer.data(), static_cast<std::size_t>(size));
    }
}

bool writeFile(const char* path, const std::string& text)
{
    const UniqueFd file(::open(path, O_WRONLY | O_CLOEXEC));
    return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool raiseLoopback()
{
    const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq request{};
    std::strncpy(request.ifr_name, "lo", IFNAMSIZ - 1);
    request.ifr_flags = IFF_UP;
    return ::ioctl(socket.get(), SIOCSIFFLAGS, &request) == 0;
}

/// In the forked child: makes both namespaces, sends the sockets, and serves: each packet is a script, with
/// the descriptor for its output.
[[noreturn]] void holdBox(int socket)
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    const std::string uid = std::to_string(::getuid());
    const std::string gid = std::to_string(::getgid());
    if (::unshare(CLONE_NEWUSER) != 0 || !writeFile("/proc/self/setgroups", "deny")
        || !writeFile("/proc/self/uid_map", uid + " " + uid + " 1")
        || !writeFile("/proc/self/gid_map", gid + " " + gid + " 1")) {
        ::_exit(1);
    }
    auto sockets = ::unshare(CLONE_NEWNET) == 0 && raiseLoopback()
        ? launcher::makeGateway("/proc")
        : fail(ErrorCode::System, "make a network");
    const auto started = sockets ? launcher::startTap(*sockets) : fail(sockets.error());
    if (!started) {
        static_cast<void>(os::sendPacket(socket, errorLine(started.error())).has_value());
        ::_exit(1);
    }
    std::vector<int> descriptors;
    for (const UniqueFd& one : *sockets) {
        if (one) {
            descriptors.push_back(one.get());
        }
    }
    static_cast<void>(os::sendPacket(socket, "made", descriptors).has_value());
    *sockets = {};
    for (;;) {
        auto script = os::receivePacket(socket, 65536);
        if (!script) {
            ::_exit(0);
        }
        const pid_t client = ::fork();
        if (client == 0) {
            ::dup2(script->descriptors.front().get(), 1);
            ::dup2(1, 2);
            ::execl("/usr/bin/python3", "python3", "-c", script->bytes.c_str(), nullptr);
            ::_exit(1);
        }
        script->descriptors.clear();
        ::waitpid(client, nullptr, 0);
    }
}

sockaddr_in loopbackAt(std::uint16_t port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

} // namespace

LocalServer::LocalServer(Manner manner)
    : m_manner(manner)
    , m_listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
{
    sockaddr_in address = loopbackAt(0);
    socklen_t size = sizeof address;
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    REVET_ASSERT(::bind(m_listener.get(), name, size) == 0 && ::listen(m_listener.get(), 4096) == 0
                 && ::getsockname(m_listener.get(), name, &size) == 0);
    m_port = ntohs(address.sin_port);
    m_thread = std::jthread([this] {
        for (;;) {
            UniqueFd client(::accept4(m_listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
            if (!client) {
                return;
            }
            if (m_manner == Manner::Deaf) {
                const std::lock_guard lock(m_mutex);
                m_kept.push_back(std::move(client));
            } else {
                m_clients.emplace_back(
                    [this, held = std::move(client)]() mutable { serve(std::move(held)); });
            }
        }
    });
}

LocalServer::~LocalServer()
{
    finish();
}

void LocalServer::finish()
{
    ::shutdown(m_listener.get(), SHUT_RDWR);
    if (m_thread.joinable()) {
        m_thread.join();
    }
    m_clients.clear();
}

std::string LocalServer::received()
{
    const std::lock_guard lock(m_mutex);
    return m_received;
}

void LocalServer::serve(UniqueFd client)
{
    if (m_manner == Manner::Greet) {
        ::send(client.get(), "welcome\n", 8, MSG_NOSIGNAL);
    }
    std::array<char, 65536> buffer{};
    for (;;) {
        const ssize_t size = ::recv(client.get(), buffer.data(), buffer.size(), 0);
        if (size <= 0) {
            return;
        }
        {
            const std::lock_guard lock(m_mutex);
            m_received.append(buffer.data(), static_cast<std::size_t>(size));
        }
        if (m_manner == Manner::Reset) {
            const linger reset{1, 0};
            ::setsockopt(client.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
            return;
        }
        if (m_manner != Manner::Listen) {
            ::send(client.get(), buffer.data(), static_cast<std::size_t>(size), MSG_NOSIGNAL);
        }
    }
}

egress::FoundAddresses Outside::find(const policy::HostName& name)
{
    std::unique_lock lock(m_mutex);
    m_lookedUp.push_back(name.text());
    m_changed.notify_all();
    m_changed.wait(lock, [this] { return !m_holds; });
    const auto found = m_names.find(name.text());
    return found == m_names.end() ? egress::FoundAddresses{egress::DnsStatus::NoSuchName, {}} : found->second;
}

void Outside::setName(const std::string& name, const std::vector<std::string>& addresses)
{
    egress::FoundAddresses found{egress::DnsStatus::NoError, {}};
    for (const std::string& address : addresses) {
        found.addresses.push_back(policy::IpAddress::parse(address).value());
    }
    m_names[name] = found;
}

void Outside::holdLookups(bool holds)
{
    const std::lock_guard lock(m_mutex);
    m_holds = holds;
    m_changed.notify_all();
}

std::vector<std::string> Outside::lookedUp()
{
    const std::lock_guard lock(m_mutex);
    return m_lookedUp;
}

void Watch::settled(std::uint64_t, const egress::Destination& destination, const egress::Outcome& outcome)
{
    const std::lock_guard lock(m_mutex);
    switch (outcome.kind) {
    case egress::Outcome::Kind::Permitted:
        m_told += "permitted " + destination.text() + " by " + outcome.rule + "\n";
        break;
    case egress::Outcome::Kind::Refused:
        m_told += "refused " + destination.text() + ": " + outcome.rule + "\n";
        break;
    case egress::Outcome::Kind::Failed:
        m_told += "failed " + destination.text() + ": " + ::strerrorname_np(outcome.errnoValue) + "\n";
        break;
    }
}

std::string Watch::told()
{
    const std::lock_guard lock(m_mutex);
    return m_told;
}

class GatewayWorld::TestDecider final : public egress::Decider
{
public:
    explicit TestDecider(policy::NetworkRules rules)
        : m_rules(std::move(rules))
    {
    }
    egress::Decision decide(const egress::Destination& to) const override
    {
        auto judged = to.name ? m_rules.judge(*to.name, to.port) : m_rules.judge(to.address, to.port);
        return {judged.isPermitted, judged.rule};
    }
    bool mayLookUp(const policy::HostName& name) const override { return m_rules.mayReach(name); }

private:
    policy::NetworkRules m_rules;
};

class GatewayWorld::TestDialler final : public egress::Dialler
{
public:
    explicit TestDialler(GatewayWorld& world)
        : m_world(world)
    {
    }
    Result<egress::Way> wayTo(const policy::IpAddress& address) override
    {
        const auto known = m_world.m_ways.find(address.text());
        return known == m_world.m_ways.end() ? egress::Way::Gateway : known->second;
    }
    Result<UniqueFd> dial(const policy::IpAddress& address, std::uint16_t port) override
    {
        {
            const std::lock_guard lock(m_world.m_mutex);
            m_world.m_dialled += address.text() + " " + std::to_string(port) + "\n";
        }
        if (m_world.m_holdsDials) {
            return hold();
        }
        if (m_world.m_dialError != 0) {
            return fail(Error::fromErrno("dial", m_world.m_dialError));
        }
        const auto to = m_world.m_ports.find(port);
        return Dialler::dial(policy::IpAddress::v4({127, 0, 0, 1}),
                             to == m_world.m_ports.end() ? 1 : to->second);
    }

private:
    /// Never writable: as one that is not connected.
    Result<UniqueFd> hold()
    {
        std::array<int, 2> ends{-1, -1};
        REVET_ASSERT(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) == 0);
        const std::string much(65536, 'x');
        while (::send(ends[0], much.data(), much.size(), MSG_NOSIGNAL) > 0) { }
        const std::lock_guard lock(m_world.m_mutex);
        m_world.m_heldDials.emplace_back(ends[1]);
        return UniqueFd(ends[0]);
    }

    GatewayWorld& m_world;
};

GatewayWorld::GatewayWorld(const std::vector<std::string>& allowed)
    : m_decider(std::make_unique<TestDecider>(policy::NetworkRules::compile(allowed).value()))
{
    makeBox();
}

GatewayWorld::~GatewayWorld()
{
    m_outside->holdLookups(false);
    m_egress.reset();
    m_holderSocket.reset();
    if (m_holder > 0) {
        ::kill(m_holder, SIGKILL);
        ::waitpid(m_holder, nullptr, 0);
    }
}

void GatewayWorld::makeBox()
{
    auto pair = os::packetSocketPair();
    m_holder = ::fork();
    if (m_holder == 0) {
        holdBox(pair->second.get());
    }
    pair->second.reset();
    m_holderSocket = std::move(pair->first);
    auto made = os::receivePacket(m_holderSocket.get(), 4096);
    if (!made || made->bytes != "made") {
        m_failure = made ? made->bytes : "the namespaces could not be made";
        return;
    }
    std::move(made->descriptors.begin(), made->descriptors.end(), m_sockets.begin());
}

std::string GatewayWorld::whyNot()
{
    const GatewayWorld world({});
    return world.m_failure;
}

void GatewayWorld::start()
{
    auto started
        = egress::Egress::start(std::move(m_sockets),
                                {*m_decider, m_watch, m_clock, m_outside,
                                 std::make_unique<TestDialler>(*this), [](const Error&) { std::abort(); }});
    REVET_ASSERT(started);
    m_egress.emplace(std::move(*started));
}

std::size_t GatewayWorld::givenUp()
{
    const std::lock_guard lock(m_mutex);
    return static_cast<std::size_t>(std::ranges::count_if(m_heldDials, [](const UniqueFd& end) {
        pollfd state{end.get(), 0, 0};
        return ::poll(&state, 1, 0) == 1 && (state.revents & POLLHUP) != 0;
    }));
}

std::string GatewayWorld::dialled()
{
    const std::lock_guard lock(m_mutex);
    return m_dialled;
}

void GatewayWorld::begin(const std::string& script)
{
    std::array<int, 2> ends{-1, -1};
    REVET_ASSERT(::pipe2(ends.data(), O_CLOEXEC) == 0);
    m_output.reset(ends[0]);
    const UniqueFd into(ends[1]);
    const std::array descriptors{into.get()};
    REVET_ASSERT(os::sendPacket(m_holderSocket.get(), kPrelude + script, descriptors));
}

std::string GatewayWorld::end()
{
    return readToEnd(m_output.get());
}

std::string GatewayWorld::python(const std::string& script)
{
    begin(script);
    return end();
}

} // namespace revet::test
