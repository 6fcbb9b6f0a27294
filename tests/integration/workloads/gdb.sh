#!/bin/sh
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
# A debugger on a child: breakpoint, memory, continuation.
. "$(dirname "$0")/common.sh"
cat > sample.c <<'C'
#include <stdio.h>
static int square(int n) { return n * n; }
int main(void) { int sum = 0; for (int i = 0; i < 4; i++) sum += square(i); printf("%d\n", sum); return 3; }
C
gcc -g -O0 -o sample sample.c
gdb -q -batch -nx -ex 'set debuginfod enabled off' -ex 'break square if n == 3' -ex run -ex 'print n' -ex 'set var n = 10' \
    -ex continue -ex 'info registers rip' ./sample 2>/dev/null | grep -E '^\$1|^105|exited with code' | sed 's/(process [0-9]*)//'
