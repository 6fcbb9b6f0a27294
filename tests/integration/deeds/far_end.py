# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
"""Serves far.test until its input ends. It answers whatever comes and notes it in $TMPDIR/heard, a line each:
what is not in there has not left the machine. "GET /to/HOST" is led on to that host."""
import os
import re
import socket
import sys
import threading

heard = open(os.environ['TMPDIR'] + '/heard', 'w', 1)


def answer(client, port):
    try:
        while data := client.recv(65536):
            print(port, data, file=heard)
            onward = re.match(rb'GET /to/(\S+) ', data)
            if onward:
                client.sendall(b'HTTP/1.1 302 Found\r\nLocation: http://%s/\r\nContent-Length: 0\r\n\r\n' % onward[1])
            elif b'HTTP/' in data:
                client.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nanswered')
            else:
                client.sendall(b'answered')
    except OSError:
        pass
    client.close()


def serve(listener, port):
    while True:
        threading.Thread(target=answer, args=(listener.accept()[0], port), daemon=True).start()


for family, address in (socket.AF_INET, '93.184.216.40'), (socket.AF_INET6, '2606:4700::40'):
    for port in 80, 443, 2222, 8080:
        listener = socket.socket(family)
        listener.bind((address, port))
        listener.listen(64)
        threading.Thread(target=serve, args=(listener, port), daemon=True).start()
print('ready', flush=True)
sys.stdin.read()
