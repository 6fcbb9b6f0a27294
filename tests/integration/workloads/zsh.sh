#!/bin/sh
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
# Here-documents and strings, process substitution, redirections of a shell that uses temporary files.
. "$(dirname "$0")/common.sh"
zsh -f -e <<'ZSH'
cat <<END
expanded $((6 * 7))
END
cat <<< 'a string'
diff <(printf 'a\nb\n') <(printf 'a\nc\n') || true
cat =(print temporary file)
print -l **/*(N) | wc -l
setopt noclobber; print x > clobber; { print y > clobber } 2>/dev/null || print kept
print appended >> clobber; cat clobber
coproc cat; print -p through; read -p line; print $line
ZSH
bash -c 'cat <<< "bash string"; exec 9<>file; echo line >&9; cat file; mapfile -t a < <(seq 3); echo "${a[@]}"'
