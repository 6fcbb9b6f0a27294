#!/bin/sh
failures=0

check() {
    got=$(sh slug.sh "$1")
    if [ "$got" = "$2" ]; then
        echo "ok    $1"
    else
        echo "FAIL  $1: got '$got', wanted '$2'"
        failures=$((failures + 1))
    fi
}

check "hello" "hello"
check "Two Words" "two-words"
check "Hello, World" "hello-world"
exit "$failures"
