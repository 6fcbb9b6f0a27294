#!/bin/sh
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
# tar and rsync of a tree with links, modes and times.
. "$(dirname "$0")/common.sh"
mkdir -p tree/a/b
n=0; while [ $n -lt 200 ]; do echo "$n" > "tree/a/f$n"; n=$((n + 1)); done
ln -s a/f1 tree/link; ln tree/a/f2 tree/a/b/hard; chmod 640 tree/a/f3; chmod 755 tree/a/f4; mkfifo tree/pipe
touch -d '2020-01-01' tree/a/f5
tar cf tree.tar tree
mkdir out; tar xf tree.tar -C out
tar df tree.tar -C out && echo same
rsync -aH tree/ synced/
rsync -aHn --itemize-changes tree/ synced/
stat -c '%h %a %Y' out/tree/a/f2 out/tree/a/f3 out/tree/a/f5 | sed '1s/ [0-9]*$//;2s/ [0-9]*$//'
gzip -k tree.tar && gunzip -c tree.tar.gz | cmp - tree.tar && echo gzip
zip -qr tree.zip tree/a && unzip -q -o tree.zip -d unzipped && digest unzipped
sed -i s/1/one/ out/tree/a/f1 out/tree/a/f10 && cat out/tree/a/f10
cp -a tree copied; rm -rf copied/a; mv copied renamed; chmod -R u+w renamed; rm -rf renamed
digest out/tree/a
