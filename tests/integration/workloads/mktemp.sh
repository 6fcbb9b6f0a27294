#!/bin/sh
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
# Temporary files and directories in every usual place.
. "$(dirname "$0")/common.sh"
for where in /tmp /var/tmp /dev/shm "$PWD"; do
    file=$(mktemp "$where/probe.XXXXXX"); directory=$(mktemp -d "$where/probe.XXXXXX")
    echo text > "$file"; stat -c '%a %F' "$file" "$directory"
    mkfifo "$directory/pipe"; (echo piped > "$directory/pipe" &) ; cat "$directory/pipe"
    printf '#!/bin/sh\necho runs\n' > "$directory/script"; chmod +x "$directory/script"; "$directory/script"
    rm -r "$file" "$directory"
done
echo left > left
