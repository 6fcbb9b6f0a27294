#!/bin/sh
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
# initdb, start, createdb, a table, dropdb, stop; over a socket in the directory.
. "$(dirname "$0")/common.sh"
PATH=$(ls -d /usr/lib/postgresql/*/bin | tail -1):$PATH
export PGHOST="$PWD" PGDATA="$PWD/data" PGUSER=tester
initdb -A trust -U tester --no-sync > /dev/null
pg_ctl -w -s -o "-k '$PWD' -c listen_addresses='' -c fsync=off" -l log start
createdb sample
psql -qAt sample <<'SQL'
create table t (n integer primary key, s text);
insert into t select n, md5(n::text) from generate_series(1, 2000) n;
create index on t (s);
select count(*), max(n), md5(string_agg(s, '' order by n)) from t;
vacuum t;
SQL
psql -qAt sample -c "copy t to stdout" | sha256sum
dropdb sample
pg_ctl -w -s -m fast stop
ls data | sort | sha256sum
