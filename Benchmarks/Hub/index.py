# SPDX-License-Identifier: Apache-2.0
"""What the index of the change feed costs a sync. The first publication makes it: a station that never publishes lacks it, and
so does usually the first sync."""
import os
import shutil
import sqlite3
import time

SEED = 1_000


def index(bench):
    count, rounds = bench.size("INDEX_RECORDS"), bench.rounds or 5
    figures, server = bench.figures, bench.server
    making = []
    taken = {(step, kind): [] for step in ("full", "changed") for kind in ("without", "with")}
    for number in range(rounds):
        folder = f"{bench.work}/index"
        os.mkdir(folder)
        stations = {}
        for kind in ("without", "with"):
            station, origin = bench.station(f"index/{kind}", count)
            # The table is made with its first record, and the index with the first publication after it.
            origin.count = min(SEED, count)
            station.sync()
            if kind == "with":
                station.target("hub", server.socket, server.create("indexed"))
                station.publish("hub")
            if has_index(station.file) != (kind == "with"):
                raise SystemExit(f"the file {kind} publication has{'' if kind == 'without' else ' no'} index of changes")
            origin.count = count
            stations[kind] = station, origin
        order = list(stations) if number % 2 else list(reversed(stations))
        for step in ("full", "changed"):
            if step == "changed":
                for _, origin in stations.values():
                    origin.change(100)
            for kind in order:
                os.sync()
                taken[step, kind].append(stations[kind][0].sync().seconds)
        making.append(make_index(stations["without"][0].file))
        for _, origin in stations.values():
            origin.shutdown()
            origin.server_close()
        server.drop("indexed")
        shutil.rmtree(folder)
    figures.head(f"the index of the change feed, the best of {rounds} in turn")
    for step, text in [("full", f"sync of {count:,} records, {SEED:,} of them stored before"),
                       ("changed", f"sync of {count:,} records, 1 % of them changed")]:
        plain, indexed = (min(taken[step, kind]) for kind in ("without", "with"))
        figures.tell(f"{text}: without", plain, "s")
        figures.tell(f"{text}: with", indexed, "s")
        figures.tell("with the index to without", indexed / plain, "×", most=1.1)
    figures.tell(f"making the index of {count:,} records, as the first publication does", min(making), "s")


def has_index(path):
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return bool(database.execute("SELECT 1 FROM sqlite_schema WHERE name = 'siding_changes_items'").fetchall())
    finally:
        database.close()


def make_index(path):
    database = sqlite3.connect(path)
    start = time.monotonic()
    database.execute("CREATE INDEX siding_changes_items ON siding_records_items (revision)")
    database.commit()
    database.close()
    return time.monotonic() - start
