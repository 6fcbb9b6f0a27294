#!/bin/sh
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
# Commit, branch, rebase, stash, gc, worktree: a day's work in a repository.
. "$(dirname "$0")/common.sh"
git init -q -b main repository
cd repository
git config user.name Tester
git config user.email tester@example.org
for n in 1 2 3; do echo "line $n" >> file; git add file; git commit -q -m "commit $n"; done
git checkout -q -b feature/a HEAD~1
echo feature > other; git add other; git commit -q -m feature
git branch -m feature/a feature/b
git rebase -q main
git checkout -q main
git merge -q --no-ff -m merge feature/b
echo stashed >> file; git stash -q; git stash pop -q; git checkout -q file
git worktree add -q ../linked feature/b
(cd ../linked && echo linked > linked && git add linked && git commit -q -m linked)
git worktree move ../linked ../moved
git worktree remove ../moved
git mv file renamed; git commit -q -m rename
git tag -a v1 -m v1
git gc -q --prune=now
git fsck --full 2>/dev/null
git repack -q -a -d
git clean -fdxq
git log --oneline --all | sort
git config --get user.email
git for-each-ref
digest .
