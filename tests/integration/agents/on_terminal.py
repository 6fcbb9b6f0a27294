#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
"""on_terminal.py [TEXT KEYS]... -- COMMAND...: plays the person at the terminal that COMMAND runs on.

Answers what a program asks a terminal about itself. Once TEXT is to be read, presses KEYS; and so on. What was shown
goes to standard output without its escape sequences; the status is the command's.
"""
import fcntl
import os
import pty
import re
import struct
import sys
import termios

end = sys.argv.index("--")
STEPS, COMMAND = list(zip(sys.argv[1:end:2], sys.argv[2:end:2])), sys.argv[end + 1:]
ANSWERS = {b"\x1b[6n": b"\x1b[1;1R", b"\x1b[c": b"\x1b[?62;22c", b"\x1b]11;?": b"\x1b]11;rgb:0000/0000/0000\x1b\\",
           b"\x1b]10;?": b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\", b"\x1b[?u": b"\x1b[?0u"}
ESCAPES = re.compile(rb"\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]|\r")

child, terminal = pty.fork()
if child == 0:
    os.execvpe(COMMAND[0], COMMAND, {**os.environ, "TERM": "xterm-256color"})
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
shown, seen = b"", 0
while True:
    try:
        part = os.read(terminal, 65536)
    except OSError:  # the command has ended
        break
    for query, answer in ANSWERS.items():
        for _ in range(part.count(query)):
            os.write(terminal, answer)
    shown += part
    # A blank may be a move of the cursor.
    text = ESCAPES.sub(b"", shown[seen:]).decode(errors="replace").replace(" ", "")
    if STEPS and STEPS[0][0].replace(" ", "") in text:
        os.write(terminal, STEPS.pop(0)[1].encode())
        seen = len(shown)
sys.stdout.buffer.write(ESCAPES.sub(b"", shown))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
