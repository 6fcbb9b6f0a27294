#!/bin/sh
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
# Full-screen programs on a pty: an edit with vim, one screen of htop.
. "$(dirname "$0")/common.sh"
export TERM=xterm HOME="$PWD"
printf 'one\ntwo\n' > text
printf ':%%s/two/three/\r:wq\r' > keys
script -qec 'vim -u NONE -n -s keys text' /dev/null < /dev/null > screen 2>&1
cat text
(sleep 2; printf q) | script -qec 'stty rows 30 cols 100; htop -C' /dev/null > screen 2>&1
grep -c -a -o 'htop' screen > /dev/null && echo 'htop drew'
script -qec 'tty | sed s/[0-9]*$//; stty rows 11 cols 44; stty size' /dev/null < /dev/null | tr -d '\r'
