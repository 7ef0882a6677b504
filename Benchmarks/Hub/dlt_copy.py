# SPDX-License-Identifier: Apache-2.0
"""dlt_copy.py FILE ADDRESS FOLDER [--tuned]: brings what has changed in the file to PostgreSQL, merged by the key, by dlt.

As its documentation has it: a generator of lists over sqlite3, an incremental cursor, all columns with their types. --tuned: rows as
CSV, so that it loads them by COPY, an upsert in place of deleting and inserting, larger buffers, and normalizing on all cores.
"""
import os
import sqlite3
import sys
from decimal import Decimal

file, address, folder, *flags = sys.argv[1:]
IS_TUNED = "--tuned" in flags
os.environ.update(RUNTIME__DLTHUB_TELEMETRY="false", RUNTIME__LOG_LEVEL="CRITICAL", DLT_DATA_DIR=f"{folder}/dlt")
if IS_TUNED:
    os.environ.update(
        DATA_WRITER__BUFFER_MAX_ITEMS="50000", DATA_WRITER__FILE_MAX_ITEMS="50000", NORMALIZE__WORKERS=str(os.cpu_count()),
        NORMALIZE__START_METHOD="fork")
import dlt

COLUMNS = {
    "station": "text", "key": "bigint", "body": "text", "revision": "bigint", "changed_at": "bigint", "deleted_at": "bigint",
    "serial": "bigint", "name": "text", "balance": "decimal", "updated_at": "timestamp", "verified": "bool", "latitude": "double",
    "born": "date", "tags": "text",
}


@dlt.resource(
    primary_key=("station", "key"), columns={name: {"data_type": kind} for name, kind in COLUMNS.items()},
    write_disposition={"disposition": "merge", "strategy": "upsert" if IS_TUNED else "delete-insert"})
def items(revision=dlt.sources.incremental("revision", initial_value=0, range_start="open")):
    database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    rows = database.execute(
        """SELECT 'van-17', key, body, revision, changed_at, deleted_at, _serial, _name, _balance, _updated_at, _verified, _latitude,
        _born, json_extract(body, '$.tags') FROM siding_records_items WHERE revision > ? ORDER BY revision""", [revision.last_value])
    while some := rows.fetchmany(10_000):
        yield [dict(zip(COLUMNS, row), balance=Decimal(str(row[8])), verified=bool(row[10])) for row in some]


if __name__ == "__main__":
    dlt.pipeline(
        "peer", pipelines_dir=f"{folder}/pipelines", dataset_name="fleet",
        destination=dlt.destinations.postgres(address)).run(items(), loader_file_format="csv" if IS_TUNED else None)
