#!/bin/sh
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
# A database in WAL mode with two writers and a reader.
. "$(dirname "$0")/common.sh"
sqlite3 db 'pragma journal_mode=wal; create table t (w integer, n integer);'
for writer in 1 2; do
    (n=0; while [ $n -lt 60 ]; do sqlite3 -cmd '.timeout 20000' db "insert into t values ($writer, $n);"; n=$((n + 1)); done) &
done
wait
sqlite3 db 'select w, count(*), sum(n) from t group by w order by w; pragma wal_checkpoint(truncate);'
sqlite3 db 'pragma integrity_check; vacuum;'
/usr/bin/python3 -c '
import sqlite3
c = sqlite3.connect("db"); c.execute("begin immediate"); c.execute("insert into t values (3, 3)"); c.rollback()
print(c.execute("select count(*) from t").fetchone()[0], c.execute("pragma journal_mode").fetchone()[0])'
