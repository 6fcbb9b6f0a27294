#!/bin/sh
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
# A storm of directory renames: of directories that were there before and of fresh ones, empty and full.
. "$(dirname "$0")/common.sh"
n=0; while [ $n -lt 300 ]; do mkdir -p "old-$n/sub"; echo "$n" > "old-$n/file"; n=$((n + 1)); done
/usr/bin/python3 - <<'PY'
import os
for n in range(300): os.rename(f'old-{n}', f'new-{n}')
for n in range(0, 300, 2): os.rename(f'new-{n}', f'new-{n + 1}/sub/inner')
print(sum(os.path.isfile(f'new-{n + 1}/sub/inner/file') for n in range(0, 300, 2)))
PY
perl -e 'for my $n (0..149) { my $m = 2*$n+1; rename "new-$m", "last-$m" or die $!; }'
digest .
