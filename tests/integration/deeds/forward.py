# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
"""A proxy in the box that tunnels to wherever it is asked to, for the programs beside it. Prints what they got
through it, and goes on until it is ended."""
import socket
import subprocess
import threading


def copy(one, other):
    try:
        while data := one.recv(65536):
            other.sendall(data)
    except OSError:
        pass
    for end in one, other:
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def tunnel(client):
    host, _, port = client.recv(4096).split(b' ')[1].decode().rpartition(':')
    try:
        far = socket.create_connection((host, int(port)))
    except OSError:
        client.sendall(b'HTTP/1.1 502 refused\r\n\r\n')
        client.close()
        return
    client.sendall(b'HTTP/1.1 200 connected\r\n\r\n')
    threading.Thread(target=copy, args=(far, client), daemon=True).start()
    copy(client, far)


def serve(listener):
    while True:
        threading.Thread(target=tunnel, args=(listener.accept()[0],), daemon=True).start()


def fetch(host):
    curl = subprocess.run(['curl', '-s', '-p', '-x', 'http://127.0.0.1:3128', 'http://%s/' % host],
                          capture_output=True, text=True)
    return '%s: %s %d' % (host, curl.stdout, curl.returncode)


proxy = socket.socket()
proxy.bind(('0.0.0.0', 3128))
proxy.listen()
threading.Thread(target=serve, args=(proxy,), daemon=True).start()
print('\n'.join(fetch(host) for host in ('allowed.test', 'other.test', '93.184.216.35')), flush=True)
threading.Event().wait()
