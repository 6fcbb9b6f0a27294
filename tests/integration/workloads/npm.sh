#!/bin/sh
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
# npm ci and npm test of a small project with a dependency, from a cache of this machine.
. "$(dirname "$0")/common.sh"
export npm_config_cache="$PWD/npm-cache" npm_config_offline=true npm_config_audit=false npm_config_fund=false \
    npm_config_update_notifier=false
mkdir -p dependency/bin project
cat > dependency/package.json <<'JSON'
{"name": "dependency", "version": "1.0.0", "main": "index.js", "bin": {"dep": "bin/dep.js"}}
JSON
echo 'module.exports = (a, b) => a + b;' > dependency/index.js
printf '#!/usr/bin/env node\nconsole.log("dep runs");\n' > dependency/bin/dep.js
chmod +x dependency/bin/dep.js
(cd dependency && npm pack --silent --pack-destination ..) > /dev/null
npm cache add ./dependency-1.0.0.tgz
cd project
cat > package.json <<'JSON'
{"name": "project", "version": "1.0.0", "scripts": {"test": "dep && node --test"},
 "dependencies": {"dependency": "file:../dependency-1.0.0.tgz"}}
JSON
cat > sum.test.js <<'JS'
const test = require('node:test'); const assert = require('node:assert');
test('adds', () => assert.strictEqual(require('dependency')(2, 3), 5));
JS
npm install --silent
rm -rf node_modules
npm ci --silent
npm test --silent | grep -E '^(dep runs|# (tests|pass|fail))'
rm -rf node_modules && npm ci --silent
digest node_modules/dependency
