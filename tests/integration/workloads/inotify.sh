#!/bin/sh
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
# Watchers see what other processes do.
. "$(dirname "$0")/common.sh"
mkdir watched
cat > watch.js <<'JS'
const fs = require('fs'); const seen = new Set();
const watcher = fs.watch('watched', (type, name) => {
  seen.add(`${type} ${name}`);
  if (name === 'last') { watcher.close(); console.log([...seen].sort().join('\n')); }
});
fs.writeFileSync('ready', '1');
setTimeout(() => { console.log('missed the end'); process.exit(1); }, 20000).unref();
JS
node watch.js > seen &
while [ ! -s ready ]; do sleep 0.05; done
echo 1 > watched/created
echo 2 >> watched/created
mv watched/created watched/renamed
mkdir watched/directory
rm watched/renamed
ln -s x watched/link
sleep 0.3
echo > watched/last
wait
cat seen
