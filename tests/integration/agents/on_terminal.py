#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
"""on_terminal.py PROMPT WORDS... -- COMMAND...: plays the person at a terminal that a COMMAND runs on.

Answers what a program asks a terminal about itself. Once PROMPT is to be read, types each of WORDS and Enter. What
was shown goes to standard output without its escape sequences; the status is the command's.
"""
import fcntl
import os
import pty
import re
import struct
import sys
import termios
import time

end = sys.argv.index("--")
PROMPT, WORDS, COMMAND = sys.argv[1], sys.argv[2:end], sys.argv[end + 1:]
ANSWERS = {b"\x1b[6n": b"\x1b[1;1R", b"\x1b[c": b"\x1b[?62;22c", b"\x1b]11;?": b"\x1b]11;rgb:0000/0000/0000\x1b\\",
           b"\x1b]10;?": b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\", b"\x1b[?u": b"\x1b[?0u"}
ESCAPES = re.compile(rb"\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]|\r")

child, terminal = pty.fork()
if child == 0:
    os.execvp(COMMAND[0], COMMAND)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
shown = b""
while True:
    try:
        part = os.read(terminal, 65536)
    except OSError:  # the command has ended
        break
    for query, answer in ANSWERS.items():
        for _ in range(part.count(query)):
            os.write(terminal, answer)
    shown += part
    # A word's end may move the cursor instead of writing a blank.
    if WORDS and PROMPT.replace(" ", "") in ESCAPES.sub(b"", shown).decode(errors="replace").replace(" ", ""):
        time.sleep(0.5)  # what is typed at once after another key is taken for something pasted
        os.write(terminal, WORDS.pop(0).encode())
        time.sleep(0.5)
        os.write(terminal, b"\r")
        shown = b""
sys.stdout.buffer.write(ESCAPES.sub(b"", shown))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
