# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by the workloads. Each runs in an empty directory, bare or in a box, and prints what must be equal;
# what differs from run to run (times, ids, ports) it keeps to itself.
set -eu
export LC_ALL=C.UTF-8 TZ=UTC
export GIT_AUTHOR_NAME=Tester GIT_AUTHOR_EMAIL=tester@example.org GIT_AUTHOR_DATE='2026-01-01T00:00:00Z'
export GIT_COMMITTER_NAME=Tester GIT_COMMITTER_EMAIL=tester@example.org GIT_COMMITTER_DATE='2026-01-01T00:00:00Z'

# Names, kinds, modes and contents below a directory, in one line.
digest() {
    (cd "$1" && find . -name .git -prune -o -printf '%P %y %m %l\n' | sort
        find . -name .git -prune -o -type f -print0 | sort -z | xargs -0 -r sha256sum) | sha256sum | cut -d' ' -f1
}
