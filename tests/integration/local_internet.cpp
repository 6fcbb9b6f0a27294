// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/local_internet.h"

#include "tests/integration/asking.h"

namespace revet::test {

namespace {

constexpr const char* kInternet = R"(
set -eu
printf '93.184.216.34 allowed.test www.allowed.test\n93.184.216.35 other.test\n10.7.7.7 inner.test\n' >"$TMPDIR/hosts"
printf '93.184.216.36 closed.test\n2606:4700::1 six.test\n' >>"$TMPDIR/hosts"
printf '93.184.217.2 own.test\n93.184.217.1 near.test\n' >>"$TMPDIR/hosts"
printf '93.184.216.40 far.test\n2606:4700::40 far.test\n93.184.216.41 shut.test\n2606:4700::41 shut.test\n' >>"$TMPDIR/hosts"
printf '93.184.216.40 x.far.test a.x.far.test notfar.test far.test.evil.test far.tes\n' >>"$TMPDIR/hosts"
printf '169.254.169.254 meta.test metadata.google.internal\nfd00:ec2::254 meta6.test\n' >>"$TMPDIR/hosts"
printf 'nameserver 93.184.216.53\n' >"$TMPDIR/resolv.conf"
mount --bind "$TMPDIR/hosts" /etc/hosts
mount --bind "$TMPDIR/resolv.conf" /etc/resolv.conf
/usr/bin/python3 - "$@" <<'END'
import ctypes, os, socket, subprocess, sys, threading
def ip(commands):
    subprocess.run(['ip', '-batch', '-'], input=commands, text=True, check=True)
home = os.open('/proc/self/ns/net', os.O_RDONLY)
ctypes.CDLL(None).unshare(0x40000000) # CLONE_NEWNET; sockets stay where they are made, and threads
ip(f'''link set lo up
link add far0 type veth peer name home0 netns /proc/{os.getpid()}/fd/{home}
link set far0 up
address add 93.184.217.1/24 dev far0
address add fd77::1/64 dev far0 nodad
''' + ''.join(f'address add {address} dev lo\n' for address in (
    '93.184.216.34', '93.184.216.35', '93.184.216.36', '93.184.216.40', '93.184.216.41', '93.184.216.53',
    '10.7.7.7', '169.254.169.254', '2606:4700::1', '2606:4700::40', '2606:4700::41')))
count = int(sys.argv[1])
unprivileged, services, command = ['setpriv', '--inh-caps=-all', '--ambient-caps=-all'], sys.argv[2:count + 2], sys.argv[count + 2:]
if services:
    with open('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'w') as start: start.write('0')
    served = subprocess.Popen(unprivileged + services, stdin=subprocess.PIPE, stdout=subprocess.PIPE) # until the end of its input
    if served.stdout.readline() != b'ready\n': sys.exit('no services: %s' % services)
queries = []
def serve(family, address, port):
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, port)); listener.listen(64)
    def accept():
        while True:
            client, _ = listener.accept()
            def answer():
                data = client.recv(4096)
                body = ('this is %s' % address).encode()
                client.sendall(b'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n' % len(body) + body)
                client.close()
            threading.Thread(target=answer, daemon=True).start()
    threading.Thread(target=accept, daemon=True).start()
def name_server():
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(('93.184.216.53', 53))
    while True:
        query, client = server.recvfrom(4096)
        queries.append(bytes(b if 32 < b < 127 else 46 for b in query[12:]).decode().strip('.'))
        server.sendto(query[:2] + b'\x81\x83' + query[4:6] + b'\0\0\0\0\0\0' + query[12:], client) # no such name
threading.Thread(target=name_server, daemon=True).start()
for address in ('93.184.216.34', '93.184.216.35', '93.184.217.1', '10.7.7.7', '169.254.169.254'):
    serve(socket.AF_INET, address, 80)
serve(socket.AF_INET6, '2606:4700::1', 80)
ctypes.CDLL(None).setns(home, 0)
ip('''link set lo up
link set home0 up
address add 93.184.217.2/24 dev home0
address add fd77::2/64 dev home0 nodad
route add default via 93.184.217.1
route add default via fd77::1
''')
serve(socket.AF_INET, '93.184.217.2', 80)
def listen():
    # Every packet of this network that begins something, once.
    log, seen = open(os.environ['TMPDIR'] + '/packets', 'w', 1), set()
    while True:
        packet, origin = tap.recvfrom(65536)
        if origin[1] == 0x800:
            head, protocol, to = (packet[0] & 15) * 4, packet[9], socket.inet_ntop(socket.AF_INET, packet[16:20])
        elif origin[1] == 0x86dd:
            head, protocol, to = 40, packet[6], '[%s]' % socket.inet_ntop(socket.AF_INET6, packet[24:40])
            if protocol == 0 or protocol == 58 and 133 <= packet[head] <= 143: continue # of the link itself
        else: continue
        line = '%s %s:%d' % ({6: 'tcp', 17: 'udp'}.get(protocol, protocol), to, int.from_bytes(packet[head + 2:head + 4], 'big'))
        if protocol == 6 and packet[head + 13] & 0x12 != 2: continue
        if line not in seen: seen.add(line); log.write(line + '\n')
tap = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3)) # ETH_P_ALL
threading.Thread(target=listen, daemon=True).start()
status = subprocess.call(unprivileged + command)
if services: served.communicate()
print('asked outside:', ' '.join(sorted(set(queries))))
sys.exit(status)
END
)";

} // namespace

Finished onInternet(const World& world, const std::vector<std::string>& command,
                    const std::vector<std::string>& services)
{
    std::vector<std::string> words{"unshare",
                                   "--user",
                                   "--map-current-user",
                                   "--keep-caps",
                                   "--net",
                                   "--mount",
                                   "/bin/sh",
                                   "-c",
                                   kInternet,
                                   "sh",
                                   std::to_string(services.size())};
    words.insert(words.end(), services.begin(), services.end());
    words.insert(words.end(), command.begin(), command.end());
    RunOptions surroundings;
    surroundings.environment = {{"TMPDIR", world.home().home()}};
    surroundings.timeout = std::chrono::minutes(30); // ctest has one of its own
    return world.runner().bare(words, surroundings);
}

Finished inInternet(const World& world, const std::vector<std::string>& options,
                    const std::vector<std::string>& command)
{
    std::vector<std::string> words{SessionRunner::program("revet"), "run"};
    if (QTest::currentDataTag() != nullptr) {
        words.insert(words.end(), {"--tier", fetched("tier")});
    }
    words.insert(words.end(), options.begin(), options.end());
    words.emplace_back("--");
    words.insert(words.end(), command.begin(), command.end());
    return onInternet(world, words);
}

Finished scriptOnInternet(const World& world, const std::string& script,
                          const std::vector<std::string>& arguments, const std::vector<std::string>& services)
{
    return onInternet(world, askingScript(script, arguments), services);
}

} // namespace revet::test
