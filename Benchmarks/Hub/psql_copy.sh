#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A careful script: asks the hub how far it has come, and brings what has changed since in one transaction.
#   psql_copy.sh FILE SOCKET DATABASE FOLDER
set -euo pipefail
psql=(psql -h "$2" -U siding -d "$3" -X -q -v ON_ERROR_STOP=1)
"${psql[@]}" -c 'SET client_min_messages = error' -c 'CREATE SCHEMA IF NOT EXISTS fleet' -c \
    'CREATE TABLE IF NOT EXISTS fleet.items (station text, key bigint, body json, revision bigint, changed_at bigint, deleted_at bigint,
    serial bigint, name text, balance numeric, updated_at timestamptz, verified boolean, latitude float8, born date, tags json,
    PRIMARY KEY (station, key))'
last=$("${psql[@]}" -A -t -c "SELECT coalesce(max(revision), 0) FROM fleet.items WHERE station = 'van-17'")
sqlite3 -readonly -csv "$1" "SELECT 'van-17', key, body, revision, changed_at, deleted_at, _serial, _name, _balance, _updated_at, _verified, _latitude,
    _born, json_extract(body, '\$.tags') FROM siding_records_items WHERE revision > $last ORDER BY revision" > "$4/changes.csv"
"${psql[@]}" --single-transaction <<SQL
CREATE TEMP TABLE changes (LIKE fleet.items) ON COMMIT DROP;
\\copy changes FROM '$4/changes.csv' (FORMAT csv)
INSERT INTO fleet.items SELECT * FROM changes ON CONFLICT (station, key) DO UPDATE SET body = excluded.body,
    revision = excluded.revision, changed_at = excluded.changed_at, deleted_at = excluded.deleted_at, serial = excluded.serial,
    name = excluded.name, balance = excluded.balance, updated_at = excluded.updated_at, verified = excluded.verified,
    latitude = excluded.latitude, born = excluded.born, tags = excluded.tags;
SQL
