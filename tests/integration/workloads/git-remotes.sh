#!/bin/sh
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
# Clones, remotes, push, pull and submodules between repositories of this machine.
. "$(dirname "$0")/common.sh"
git init -q -b main origin
(cd origin && mkdir -p d && for n in 1 2 3 4 5; do echo "$n" > "d/$n"; done && git add . && git commit -q -m first)
git clone -q origin linked
git clone -q --no-hardlinks origin copied
git init -q --bare -b main shared.git
cd linked
git config user.name Tester
git remote add shared ../shared.git
git remote add spare ../shared.git
git remote rename spare other
git remote remove other
git push -q -u shared main
git checkout -q -b topic --track shared/main
echo more > more; git add more; git commit -q -m more
git push -q shared HEAD:topic
git config pull.rebase false
git fetch -q --prune shared
git branch -vv | sed 's/^..//'
cd ..
git clone -q shared.git pulled
(cd pulled && git pull -q && git log --oneline)
git -c protocol.file.allow=always clone -q origin super
cd super
git -c protocol.file.allow=always submodule --quiet add ../copied sub
git commit -q -m submodule
git submodule status | sed 's/ (.*//'
git submodule --quiet update --init
git submodule deinit -q -f sub
git -c protocol.file.allow=always submodule --quiet update --init
cd ..
git -c protocol.file.allow=always clone -q --recurse-submodules super again
digest again
