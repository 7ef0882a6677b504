# SPDX-License-Identifier: Apache-2.0
"""The first publication beside psql's \\copy of the same rows into the same table, in turn; what a row takes; commits."""
import os
import subprocess
import time

from postgres import TOOLS
from process import Run
from station import STATION


def load(bench):
    station, _ = bench.synced()
    server, figures = bench.server, bench.figures
    rows = f"{bench.work}/rows.copy"
    published, copied = [], []
    for number in range(bench.rounds or 2):
        database = server.create("hub" if number == 0 else f"hub{number}")
        station.target(database, server.socket, database)
        ddl = station.run("publish", database, "--ddl").out
        server.value(ddl.replace('"siding"', '"copied"'), database)

        def publish():
            server.settle()
            before, commits = server.wal(), server.commits(database)
            taken = station.publish(database)
            taken.wal, taken.commits = server.wal() - before, server.commits(database) - commits
            published.append(taken)

        def copy():
            server.settle()
            before = server.wal()
            taken = Run([*server.psql(database), "-c", f"\\copy copied.items FROM '{rows}'"])
            taken.wal = server.wal() - before
            copied.append(taken)

        if number == 0:
            publish()
            subprocess.run([*server.psql(database), "-c", f"\\copy siding.items TO '{rows}'"], check=True)
            copy()
        else:
            for step in (copy, publish) if number % 2 else (publish, copy):
                step()
        same = server.value("SELECT count(*), sum(hashtextextended(t::text, 0)) FROM siding.items t", database) == server.value(
            "SELECT count(*), sum(hashtextextended(t::text, 0)) FROM copied.items t", database)
        if not same:
            raise SystemExit("the tables differ")
        if number == 0:
            heap = server.number("SELECT pg_table_size('siding.items')", database)
            keys = server.number("SELECT pg_indexes_size('siding.items')", database)
            server.value("DROP SCHEMA copied CASCADE", database)
        else:
            del station.config["publish"][database]
            server.drop(database)
    os.unlink(rows)
    station.save()
    tell(bench, published, copied, heap, keys)


def tell(bench, published, copied, heap, keys):
    figures, count = bench.figures, bench.records
    best = min(published, key=lambda taken: taken.seconds)
    copy = min(copied, key=lambda taken: taken.seconds)
    figures.head(f"first load of {count:,} records, the best of {len(published)} in turn")
    figures.tell("siding publish", best.seconds, "s")
    figures.tell("psql \\copy of the same rows into the same table", copy.seconds, "s")
    figures.tell("siding publish, records per second", count / best.seconds, "/s", name="rate")
    figures.tell("records per second to those of \\copy", copy.seconds / best.seconds, "×", least=0.6)
    figures.tell("siding publish, peak memory", max(taken.peak for taken in published), "MiB", most=64)
    figures.tell("of which its own, without pages of files", max(taken.own for taken in published), "MiB")
    figures.tell("siding publish, WAL per record", best.wal / count, "bytes", name="load_wal")
    figures.tell("\\copy, WAL per record", copy.wal / count, "bytes")
    figures.tell("siding publish, transactions at the hub", best.commits)
    figures.tell("hub, bytes per record: table", heap / count, "bytes")
    figures.tell("hub, bytes per record: primary key", keys / count, "bytes")
    figures.found["row"] = (heap + keys) / count
    figures.tell("commits that exchange a position, of 8 among 1,000 stations at once", commits(bench), "/s", name="commits")


def commits(bench):
    """What the table of positions takes from many stations at once: each transaction exchanges one position, and nothing else."""
    server = bench.server
    server.value(
        "INSERT INTO siding.siding_positions (station, resource, number, revision, mark, is_compared)"
        f" SELECT 's' || i, 'items', 1, 0, 'mark', true FROM generate_series(1, 1000) i WHERE '{STATION}' <> 's' || i", "hub")
    script = f"{bench.work}/positions.sql"
    with open(script, "w") as file:
        file.write("\\set i random(1, 1000)\nBEGIN;\nUPDATE siding.siding_positions SET revision = revision + 1, published_at = now()"
                   " WHERE station = 's' || :i AND resource = 'items' AND mark = 'mark';\nCOMMIT;\n")
    server.settle()
    before, start = server.commits("hub"), time.monotonic()
    Run([f"{TOOLS}/pgbench", "-h", server.socket, "-U", "siding", "-n", "-c", "8", "-j", "1", "-T", "10", "-f", script, "hub"])
    taken = time.monotonic() - start
    made = server.commits("hub") - before
    server.value("DELETE FROM siding.siding_positions WHERE mark = 'mark'", "hub")
    return made / taken
