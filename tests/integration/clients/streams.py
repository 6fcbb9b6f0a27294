# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
"""streams.py HOST: asyncio, both families at once where there are two."""
import asyncio
import sys


async def get(host):
    reader, writer = await asyncio.open_connection(host, 80, happy_eyeballs_delay=0.01)
    writer.write(f"GET /hello HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
    print((await reader.read()).partition(b"\r\n\r\n")[2].decode(), end="")
    writer.close()


asyncio.run(get(sys.argv[1]))
