#!/bin/sh
# Usage: sh slug.sh TITLE
printf '%s\n' "$1" | tr '[:upper:]' '[:lower:]' | tr ' ' '-'
