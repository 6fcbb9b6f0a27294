// SPDX-FileCopyrightText: The Revet developers
// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/local_internet.h"

namespace revet::test {

namespace {

/// Then the caller's script, without any of the capabilities.
constexpr const char* kInternet = R"(
set -eu
printf '93.184.216.34 allowed.test www.allowed.test\n93.184.216.35 other.test\n10.7.7.7 inner.test\n' >"$TMPDIR/hosts"
printf '93.184.216.36 closed.test\n2606:4700::1 six.test\n' >>"$TMPDIR/hosts"
printf 'nameserver 93.184.216.53\n' >"$TMPDIR/resolv.conf"
mount --bind "$TMPDIR/hosts" /etc/hosts
mount --bind "$TMPDIR/resolv.conf" /etc/resolv.conf
ip link set lo up
echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start
for address in 93.184.216.34 93.184.216.35 93.184.216.36 93.184.216.53 10.7.7.7 169.254.169.254; do
    ip address add $address/32 dev lo
done
ip -6 address add 2606:4700::1/128 dev lo
rm -f "$TMPDIR/listening"; mkfifo "$TMPDIR/listening"
/usr/bin/python3 - <<'END' >"$TMPDIR/listening" &
import os, select, socket
# Every packet of this network that begins something, once.
listener = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3)) # ETH_P_ALL
parent, seen = os.getppid(), set()
log = open(os.environ['TMPDIR'] + '/packets', 'w', 1)
print(flush=True)
while os.getppid() == parent:
    if not select.select([listener], [], [], 0.2)[0]: continue
    packet, origin = listener.recvfrom(65536)
    if origin[1] == 0x800:
        head, protocol, to = (packet[0] & 15) * 4, packet[9], socket.inet_ntop(socket.AF_INET, packet[16:20])
    elif origin[1] == 0x86dd:
        head, protocol, to = 40, packet[6], '[%s]' % socket.inet_ntop(socket.AF_INET6, packet[24:40])
    else: continue
    port = ':%d' % int.from_bytes(packet[head + 2:head + 4], 'big')
    if protocol == 6:
        if packet[head + 13] & 0x12 != 2: continue
        line = 'tcp ' + to + port
    elif protocol == 17: line = 'udp ' + to + port
    else: line = 'protocol %d %s' % (protocol, to)
    if line not in seen: seen.add(line); log.write(line + '\n')
END
read -r _ <"$TMPDIR/listening"
exec setpriv --inh-caps=-all --ambient-caps=-all /usr/bin/python3 - "$@" <<'END'
import os, socket, subprocess, sys, threading
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
for address in ('93.184.216.34', '93.184.216.35', '10.7.7.7', '169.254.169.254'):
    serve(socket.AF_INET, address, 80)
serve(socket.AF_INET6, '2606:4700::1', 80)
status = subprocess.call(sys.argv[1:])
print('asked outside:', ' '.join(sorted(set(queries))))
sys.exit(status)
END
)";

} // namespace

Finished onInternet(const World& world, const std::vector<std::string>& command)
{
    std::vector<std::string> words{
        "unshare", "--user", "--map-current-user", "--keep-caps", "--net", "--mount", "/bin/sh", "-c",
        kInternet, "sh"};
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

} // namespace revet::test
