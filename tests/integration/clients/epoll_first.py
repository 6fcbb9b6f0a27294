# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
"""epoll_first.py HOST: a socket that is in an edge-triggered epoll before it connects, as in some event loops."""
import errno
import os
import select
import socket
import sys

client = socket.socket()
client.setblocking(False)
ready = select.epoll()
ready.register(client, select.EPOLLIN | select.EPOLLOUT | select.EPOLLRDHUP | select.EPOLLET)
begun = client.connect_ex((socket.gethostbyname(sys.argv[1]), 80))
assert begun == errno.EINPROGRESS, errno.errorcode.get(begun, begun)


def wait_for(wanted):
    while not any(events & wanted for _, events in ready.poll()):
        pass


# What was said about the socket before it connected was HUP; that edge is taken with the next one.
wait_for(select.EPOLLOUT)
while (error := client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)) == 0:
    try:
        client.getpeername()
        break
    except OSError:
        wait_for(select.EPOLLOUT)
if error:
    sys.exit(os.strerror(error))
client.sendall(b"GET /hello HTTP/1.0\r\nHost: %s\r\n\r\n" % sys.argv[1].encode())
answer = b""
while True:
    try:
        part = client.recv(4096)
    except BlockingIOError:
        wait_for(select.EPOLLIN | select.EPOLLRDHUP)
        continue
    if not part:
        break
    answer += part
print(answer.partition(b"\r\n\r\n")[2].decode(), end="")
