#!/bin/sh
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
# A server and its client on the loopback, in one process and in two.
. "$(dirname "$0")/common.sh"
cat > server.js <<'JS'
const http = require('http'); const fs = require('fs');
const server = http.createServer((request, response) => {
  if (request.url === '/end') { response.end('bye'); server.close(); } else response.end('hello ' + request.url);
});
server.listen(0, '127.0.0.1', () => fs.writeFileSync('port', String(server.address().port)));
JS
node server.js &
while [ ! -s port ]; do sleep 0.05; done
node -e '
const base = `http://127.0.0.1:${require("fs").readFileSync("port", "utf8")}`;
(async () => {
  console.log(await (await fetch(base + "/a")).text());
  const all = await Promise.all(Array.from({length: 50}, (_, n) => fetch(base + "/" + n).then(r => r.text())));
  console.log(all.length, all[49]);
  console.log(await (await fetch(base + "/end", {headers: {connection: "close"}})).text());
})();'
wait
node -e '
const net = require("net");
net.connect(9, "127.0.0.1").on("error", e => console.log(e.code)).on("connect", () => console.log("connected"));'
