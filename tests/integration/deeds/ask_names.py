# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
"""Asks the box's name server for names that two readers may read as two, and says them to far.test in a TLS
hello and as the host of a request. Prints what became of each."""
import os
import socket
import struct

# By libraries, servers and people, each of these has been taken for far.test, or for something below it.
NAMES = [
    b'evil.test\0.far.test', b'far.test\0.evil.test', b'far.test\0', b'\0far.test', b'evil\0.far.test',
    b'far.test\n', b'far.test\r\n', b'evil.test\r\nfar.test', b' far.test', b'far.test ', b'\tfar.test',
    b'evil test.far.test', b'evil.test,far.test', b'evil.test;.far.test', b'far.test%00', b'evil.test%00.far.test',
    b'far%2etest', b'far.test%25lo', b'evil.test/.far.test', b'far.test/', b'evil.test\\.far.test', b'far.test\\',
    b'evil@far.test', b'far.test@evil.test', b'far.test#.evil.test', b'evil.test#.far.test', b'evil.test?.far.test',
    b'evil.test:80.far.test', b'far.test:80:81', b'far.test:', b'.far.test', b'far..test', b'evil..far.test',
    b'far.test..', b'-evil.far.test', b'evil-.far.test', b'*.far.test', b'"far.test"', b"'far.test'", b'[far.test]',
    b'<far.test>', b'far.test\x7f', b'\x1b[2Jfar.test', b'far.test\xff', b'\xc0\xaeevil.far.test',
    'far。test'.encode(), 'far．test'.encode(), 'ｆａｒ.test'.encode(), 'fa\u00adr.test'.encode(),
    'fa\u200dr.test'.encode(), 'fa\u202er.test'.encode(), 'fаr.test'.encode(), 'evil\u2024far.test'.encode(),
    b'xn--zzzzzz99999.far.test', b'a' * 64 + b'.far.test', b'a.' * 130 + b'far.test', b'0x5db8d828', b'1572395048',
]


def query(labels, number):
    name = b''.join(bytes([len(label) & 0x3f]) + label[:63] for label in labels) + b'\0'
    return struct.pack('>HHHHHH', number, 0x100, 1, 0, 0, 0) + name + struct.pack('>HH', 1, 1)


def is_found(labels, number):
    """Whether the box's name server has an address for the name of these labels."""
    asked = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    asked.settimeout(60)
    asked.sendto(query(labels, number), ('198.18.0.1', 53))
    answer = asked.recv(4096)
    return struct.unpack('>H', answer[2:4])[0] & 15 == 0 and struct.unpack('>H', answer[6:8])[0] > 0


def is_resolved(name):
    # For C a name ends at its zero byte, and such a number is an address that nobody is asked for.
    if b'\0' in name or name.startswith((b'0x', b'15')):
        return False
    try:
        return bool(socket.getaddrinfo(name, 80))
    except (OSError, UnicodeError, ValueError):
        return False


def sized(content, width):
    return len(content).to_bytes(width, 'big') + content


def hello(name):
    entry = sized(sized(b'\0' + sized(name, 2), 2), 2)
    body = b'\3\3' + os.urandom(32) + b'\0' + sized(b'\x13\x01', 2) + b'\1\0' + sized(b'\0\0' + entry, 2)
    return b'\x16\3\1' + sized(b'\1' + sized(body, 3), 2)


def is_answered(port, what):
    try:
        with socket.create_connection(('far.test', port), 60) as connection:
            connection.sendall(what)
            return connection.recv(4096) != b''
    except (ConnectionResetError, BrokenPipeError):
        return False


passed = []
for number, name in enumerate(NAMES):
    labels = name.split(b'.')
    ways = {
        # A name server reads an empty label as the end, and cannot be asked for one of 64 bytes.
        'asked for': all(0 < len(label) < 64 for label in labels) and is_found(labels, number),
        'asked for as one label': 0 < len(name) < 64 and is_found([name], number),
        'asked for as its labels below': len(name) < 55 and is_found([name + b'.evil', b'far', b'test'], number),
        'resolved': is_resolved(name),
        'said in a hello': is_answered(443, hello(name)),
        # What HTTP allows around a value is not part of it.
        'said as a host': name.strip() != b'far.test' and is_answered(80, b'GET / HTTP/1.1\r\nHost: ' + name + b'\r\n\r\n'),
    }
    passed += ['%s %r' % (way, name) for way, has_passed in ways.items() if has_passed]
print('%d names, passed: %s' % (len(NAMES), '; '.join(passed)))
print(is_found([b'plain', b'far', b'test'], 1), is_found([b'far', b'test'], 2),
      is_answered(443, hello(b'far.test')), is_answered(80, b'GET / HTTP/1.1\r\nHost: far.test\r\n\r\n'))
