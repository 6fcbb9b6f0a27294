#!/bin/sh
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
# clone.sh URL: clones, pushes a branch of its own and fetches it.
set -e
export GIT_AUTHOR_NAME=T GIT_AUTHOR_EMAIL=t@far.test GIT_COMMITTER_NAME=T GIT_COMMITTER_EMAIL=t@far.test
git clone -q "$1" clone
cd clone
branch=$(basename "$(dirname "$PWD")")
git checkout -q -b "$branch"
git commit -q --allow-empty -m second
git push -q origin "$branch"
git fetch -q
git log --format=%s "origin/$branch"
