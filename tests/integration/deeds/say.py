# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
"""Says to far.test what is fine and what is not, each on a connection of its own, and prints how each of them
ended. Whatever must not get there has the word evil in it."""
import socket
import ssl

TO_IT, TO_ANOTHER = b'Host: far.test\r\n', b'Host: evil.test\r\n'


def get(fields=TO_IT, path=b'/'):
    return b'GET ' + path + b' HTTP/1.1\r\n' + fields + b'\r\n'


def post(fields, body):
    return b'POST / HTTP/1.1\r\n' + TO_IT + fields + b'\r\n' + body


def sized(content, width):
    return len(content).to_bytes(width, 'big') + content


def server_name(*names, kind=0):
    return 0, sized(b''.join(bytes([kind]) + sized(name, 2) for name in names), 2)


def hello(*extensions, word=None):
    """What OpenSSL says first, with these extensions instead of its server's name."""
    context = ssl.create_default_context()
    if word:
        context.set_alpn_protocols([word])
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        context.wrap_bio(incoming, outgoing, server_hostname='any.test').do_handshake()
    except ssl.SSLWantReadError:
        pass
    message = outgoing.read()[5:]
    at = 4 + 34
    at += 1 + message[at]
    at += 2 + int.from_bytes(message[at:at + 2], 'big')
    at += 1 + message[at]
    kept, rest = b'', message[at + 2:]
    while rest:
        end = 4 + int.from_bytes(rest[2:4], 'big')
        kept += rest[:end] if rest[:2] != b'\0\0' else b''
        rest = rest[end:]
    added = b''.join(number.to_bytes(2, 'big') + sized(content, 2) for number, content in extensions)
    return b'\1' + sized(message[4:at] + sized(added + kept, 2), 3)


def records(message, step=16384):
    return b''.join(b'\x16\3\1' + sized(message[i:i + step], 2) for i in range(0, len(message), step))


ECH = (0xfe0d, b'\0\0\1\0\1\0' + sized(b'evil' * 8, 2) + sized(b'evil' * 40, 2))
GREASE = (0xfe0d, b'\0\0\1\0\1\0' + sized(b'x' * 32, 2) + sized(b'x' * 160, 2))
FAR = server_name(b'far.test')
EVIL = server_name(b'evil.test')
WISH = TO_IT + b'Upgrade: websocket\r\nConnection: Upgrade\r\n'
HIDDEN = get(TO_ANOTHER)

# What it is, the port, the parts that are sent, each but the last one after the answer to the one before, and
# whether the last is answered.
SAID = [
    ('TLS to it', 443, [records(hello(FAR))], True),
    ('TLS to it in capitals', 443, [records(hello(server_name(b'FAR.Test')))], True),
    ('TLS to it in many records', 443, [records(hello(FAR), 50)], True),
    ('TLS to it with the grease of ECH', 443, [records(hello(FAR, GREASE))], True),
    ('TLS to another', 443, [records(hello(EVIL))], False),
    ('TLS to another in many records', 443, [records(hello(EVIL), 50)], False),
    ('TLS to another elsewhere', 2222, [records(hello(EVIL))], False),
    ('TLS to another on the port of HTTP', 80, [records(hello(EVIL))], False),
    ('TLS to one below', 443, [records(hello(server_name(b'evil.far.test')))], False),
    ('TLS to one that begins so', 443, [records(hello(server_name(b'far.test.evil.test')))], False),
    ('TLS to two', 443, [records(hello(server_name(b'far.test', b'evil.test')))], False),
    ('TLS to two, the other first', 443, [records(hello(server_name(b'evil.test', b'far.test')))], False),
    ('TLS to it and again to another', 443, [records(hello(FAR, EVIL))], False),
    ('TLS to a name of another kind', 443, [records(hello(server_name(b'evil.test', kind=1)))], False),
    ('TLS to nobody', 443, [records(hello(word='evil'))], False),
    ('TLS to nobody in the clear', 443, [records(hello(ECH))], False),
    ('TLS to an address', 443, [records(hello(server_name(b'93.184.216.40'), word='evil'))], False),
    ('neither TLS nor HTTP', 443, [b'\x00evil\n'], False),
    ('the same where the web is not', 2222, [b'\x00fine\n'], True),
    ('HTTP to it', 80, [get()], True),
    ('HTTP to it, twice', 80, [get(), get()], True),
    ('HTTP to it on the port of TLS', 443, [get(b'Host: far.test:443\r\n')], True),
    ('HTTP to another', 80, [get(TO_ANOTHER)], False),
    ('HTTP to another on the port of TLS', 443, [get(TO_ANOTHER)], False),
    ('HTTP to another elsewhere', 2222, [get(TO_ANOTHER)], False),
    ('a second request to another', 80, [get(), get(TO_ANOTHER)], False),
    ('a third, behind a body', 80, [get(), post(b'Content-Length: 3\r\n', b'abc'), get(TO_ANOTHER)], False),
    ('one to another behind it', 80, [get() + get(TO_ANOTHER)], False),
    ('a whole target elsewhere', 80, [get(path=b'http://evil.test/')], False),
    ('a second such', 80, [get(), get(path=b'http://evil.test/')], False),
    ('a tunnel', 80, [b'CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n\r\n'], False),
    ('a tunnel in its name', 80, [b'CONNECT evil.test:443 HTTP/1.1\r\n' + TO_IT + b'\r\n'], False),
    ('a tunnel behind it', 80, [get() + b'CONNECT evil.test:443 HTTP/1.1\r\n' + TO_IT + b'\r\n'], False),
    ('a tunnel to it, and one in there', 80,
     [b'CONNECT far.test:80 HTTP/1.1\r\nHost: far.test:80\r\n\r\nCONNECT evil.test:443 HTTP/1.1\r\n\r\n'], False),
    ('length and chunks', 80,
     [post(b'Content-Length: %d\r\nTransfer-Encoding: chunked\r\n' % (5 + len(HIDDEN)), b'0\r\n\r\n' + HIDDEN)],
     False),
    ('chunks and length', 80,
     [post(b'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n', b'%x\r\n' % len(HIDDEN) + HIDDEN + b'\r\n0\r\n\r\n')],
     False),
    ('a length of nothing', 80, [post(b'Content-Length: 0\r\n', HIDDEN)], False),
    ('two lengths', 80,
     [post(b'Content-Length: %d\r\nContent-Length: 0\r\n' % len(HIDDEN), HIDDEN)], False),
    ('a length with a sign', 80, [post(b'Content-Length: +%d\r\n' % len(HIDDEN), HIDDEN)], False),
    ('behind the last chunk', 80, [post(b'Transfer-Encoding: chunked\r\n', b'0\r\n\r\n' + HIDDEN)], False),
    ('a chunk of another size', 80,
     [post(b'Transfer-Encoding: chunked\r\n', b'1\r\nab\r\n0\r\n\r\n' + HIDDEN)], False),
    ('a chunk beyond 64 bits', 80,
     [post(b'Transfer-Encoding: chunked\r\n', b'10000000000000000\r\n' + HIDDEN)], False),
    ('chunks of another kind', 80, [post(b'Transfer-Encoding: xchunked\r\n', b'0\r\n\r\n' + HIDDEN)], False),
    ('chunks behind a space', 80, [post(b'Transfer-Encoding : chunked\r\n', b'0\r\n\r\n' + HIDDEN)], False),
    ('chunks behind a tab', 80, [post(b'Transfer-Encoding:\x0bchunked\r\n', b'0\r\n\r\n' + HIDDEN)], False),
    ('chunks on a folded line', 80,
     [post(b'X: y\r\n Transfer-Encoding: chunked\r\n', b'0\r\n\r\n' + HIDDEN)], False),
    ('two hosts', 80, [get(TO_IT + TO_ANOTHER)], False),
    ('two hosts, the other first', 80, [get(TO_ANOTHER + TO_IT)], False),
    ('a host behind a space', 80, [get(TO_IT + b'Host : evil.test\r\n')], False),
    ('a host on a folded line', 80, [get(b'Host: far.test\r\n\tevil.test\r\n')], False),
    ('a host behind CR', 80, [get(b'Host: far.test\r\nX: y\rHost: evil.test\r\n')], False),
    ('bare line feeds', 80, [b'GET / HTTP/1.1\nHost: evil.test\n\n'], False),
    ('a bare line feed within', 80, [get(b'Host: far.test\r\nX: y\nHost: evil.test\r\n')], False),
    ('no host', 80, [get(b'X: evil\r\n')], False),
    ('HTTP/1.0 without a host', 80, [b'GET /evil HTTP/1.0\r\n\r\n'], False),
    ('HTTP/0.9', 80, [b'GET /evil\r\n'], False),
    ('HTTP/2', 80, [b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nevil'], False),
    ('behind a wish for another protocol', 80, [get(WISH) + HIDDEN], False),
    ('behind one that was not granted', 80, [get(WISH), HIDDEN], False),
    ('behind a wish for HTTP/2', 80, [get(TO_IT + b'Upgrade: h2c\r\n'), HIDDEN], False),
    ('the port of another service', 80, [get(b'Host: far.test:8080\r\nX: evil\r\n')], False),
]


def is_answered(connection):
    answer = b''
    while b'answered' not in answer:
        more = connection.recv(65536)
        if not more:
            return False
        answer += more
    return True


def are_answered(port, parts):
    try:
        with socket.create_connection(('far.test', port), 60) as connection:
            for part in parts:
                connection.sendall(part)
                last = is_answered(connection)
            return last
    except (ConnectionResetError, BrokenPipeError):
        return False


wrong = [what for what, port, parts, isFine in SAID if are_answered(port, parts) != isFine]
print('%d said, %d of them fine, wrong: %s' % (len(SAID), sum(row[3] for row in SAID), ', '.join(wrong)))
