#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""queries.py WORK CORPUS PORT SIDING RECORDS: queries through Siding's views, beside the same queries of plain tables.

The plain tables have a column per member and the key as primary key, as `sqlite-utils insert --pk id` makes them: objects and arrays are
JSON text, true and false are 1 and 0. Prints milliseconds (the best of 7, both in turn) and ratios, and what eight declared columns add
to a first sync. Ends with 1 where a bar is missed.
"""
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time

work, corpus, port, siding, records = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5])
ORDERS, CUSTOMERS = 300_000, 1_000
COLUMNS = {  # The key is shown by its own column; the eight others are stored beside it.
    "id": "text", "uuid": "text", "status": "text", "created_at": "datetime", "updated_at": "datetime", "name": "text", "balance": "real",
    "serial": "integer", "verified": "boolean",
}


def pages(name, rows, size=1000):
    """Writes rows as pages below the origin's root."""
    folder = f"{corpus}/{name}"
    if os.path.exists(f"{folder}/done"):
        return
    os.makedirs(folder, exist_ok=True)
    count = -(-len(rows) // size)
    for page in range(count):
        following = f"/{name}/{page + 2}.json" if page + 1 < count else None
        with open(f"{folder}/{page + 1}.json", "w") as file:
            json.dump({"items": rows[page * size:(page + 1) * size], "next": following}, file)
    open(f"{folder}/done", "w").close()


def shop():
    """A thousand customers, and orders that name them: both with integer keys."""
    lot = random.Random(11)
    customers = [{"id": i, "name": f"customer {i}", "city": lot.choice("ABCDEFGH")} for i in range(1, CUSTOMERS + 1)]
    orders = [
        {"id": i, "customer_id": lot.randrange(1, CUSTOMERS + 1), "amount": lot.randrange(10_000) / 100, "note": "x" * 150}
        for i in range(1, ORDERS + 1)
    ]
    return customers, orders


def sync(name, resources):
    """Syncs into a new file; answers its path and the seconds that this took."""
    folder = f"{work}/queries-{name}"
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder, mode=0o700)
    config = {
        "version": 1, "database": {"path": "bench.db"},
        "sources": {"corpus": {"base_url": f"http://127.0.0.1:{port}"}}, "resources": resources,
    }
    with open(f"{folder}/siding.yaml", "w") as file:
        json.dump(config, file)  # JSON is YAML.
    start = time.monotonic()
    subprocess.run([siding, "sync", "--quiet", "--config", f"{folder}/siding.yaml"], check=True)
    return f"{folder}/bench.db", time.monotonic() - start


def resource(path, columns=None):
    declared = {"path": path, "key": "id", "records": "$.items[*]"}
    if columns:
        declared["columns"] = columns
    return declared


def plain(path, tables):
    if os.path.exists(path):
        os.unlink(path)
    database = sqlite3.connect(path)
    for name, rows in tables.items():
        members = list(rows[0])
        kinds = {str: "TEXT", float: "FLOAT", int: "INTEGER", bool: "INTEGER"}
        columns = ", ".join(
            f'"{member}" {kinds.get(type(rows[0][member]), "TEXT")}{" PRIMARY KEY" if member == "id" else ""}' for member in members)
        database.execute(f'CREATE TABLE "{name}" ({columns})')
        database.executemany(
            f'INSERT INTO "{name}" VALUES ({", ".join("?" * len(members))})',
            ([json.dumps(row[m]) if isinstance(row[m], (dict, list)) else row[m] for m in members] for row in rows))
    database.commit()
    return database


def milliseconds(databases, query, arguments=(), count=7):
    """The best time of each database, asked in turn."""
    best = [float("inf")] * len(databases)
    for _ in range(count):
        for index, database in enumerate(databases):
            start = time.perf_counter()
            database.execute(query, arguments).fetchall()
            best[index] = min(best[index], (time.perf_counter() - start) * 1000)
    return best


missed = []


def tell(text, value, bar, unit=""):
    is_missed = value > bar
    if is_missed:
        missed.append(text)
    print(f"  {text:64} {value:8.2f}{unit}   bar {bar}{unit}{'   MISSED' if is_missed else ''}")


def compare(text, databases, query, bar, arguments=()):
    ours, theirs = milliseconds(databases, query, arguments)
    print(f"    {ours:9.3f} ms, plain table {theirs:9.3f} ms")
    tell(text, ours / theirs, bar, " ×")


with open(f"{corpus}/big.json") as file:
    items = json.load(file)["items"]
customers, orders = shop()
pages("customers", customers)
pages("orders", orders)

bare_times, declared_times = [], []
for _ in range(3):
    bare_path, seconds = sync("bare", {"items": resource("/p1000/1.json")})
    bare_times.append(seconds)
    declared_path, seconds = sync("declared", {"items": resource("/p1000/1.json", COLUMNS)})
    declared_times.append(seconds)
shop_bare, _ = sync("shop", {"customers": resource("/customers/1.json"), "orders": resource("/orders/1.json")})
shop_declared, _ = sync("shop-declared", {
    "customers": resource("/customers/1.json"), "orders": resource("/orders/1.json", {"id": "integer", "customer_id": "integer", "amount": "real"})})

table = plain(f"{work}/queries-plain.db", {"items": items, "customers": customers, "orders": orders})
bare, declared = sqlite3.connect(bare_path), sqlite3.connect(declared_path)

print(f"queries of {records} records, SQLite {sqlite3.sqlite_version}")
key = items[records // 2]["id"]
for name, database in [("nothing declared", bare), ("eight columns declared", declared)]:
    ours, theirs = milliseconds([database, table], "SELECT * FROM items WHERE id = ?", [key], 200)
    print(f"    {ours:9.3f} ms, plain table {theirs:9.3f} ms")
    tell(f"look-up by key, {name}", ours, 0.1, " ms")
both = [declared, table]
compare("sum", both, "SELECT sum(balance) FROM items", 2)
compare("group by", both, "SELECT status, count(*), avg(balance) FROM items GROUP BY status", 2)
compare("range", both, "SELECT count(*) FROM items WHERE updated_at >= '2026-03' AND updated_at < '2026-05'", 2)
compare("order by limit", both, "SELECT id, balance FROM items ORDER BY balance DESC LIMIT 20", 2)
join = "SELECT c.id, count(*), sum(o.amount) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY c.id"
compare("join of 300,000 to 1,000, nothing declared", [sqlite3.connect(shop_bare), table], join, 6)
compare("join of 300,000 to 1,000, the reference declared", [sqlite3.connect(shop_declared), table], join, 1.5)
print(f"    {min(declared_times):.2f} s, without {min(bare_times):.2f} s")
tell("first sync with eight declared columns, to one without", min(declared_times) / min(bare_times), 1.4, " ×")
if missed:
    sys.exit(f"missed: {', '.join(missed)}")
