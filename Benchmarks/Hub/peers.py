# SPDX-License-Identifier: Apache-2.0
"""Other tools bring the same file to the same server: the first load, 1 % changed, and what a kill (kill -9) leaves."""
import glob
import os
import shutil
import sqlite3
import subprocess

from process import Run

HERE = os.path.dirname(os.path.abspath(__file__))
MOMENTS = (0.3, 0.6, 0.9)  # of the time of a first load


class Tool:
    """Brings a station's file to a database of its own, with a folder for what it keeps; made anew for each attempt."""

    name, table, key, body = "`siding publish`", "siding.items", "siding_key", "siding_body"

    def __init__(self, bench, station, number):
        self.bench, self.station, self.database = bench, station, f"peer{number}"
        self.folder = f"{bench.work}/{self.database}"
        os.mkdir(self.folder)
        bench.server.create(self.database)
        station.target(self.database, bench.server.socket, self.database)

    def run(self, killed_after=None, may_fail=False):
        self.bench.server.settle()
        return Run(self.command(), killed_after, may_fail, cwd=self.station.folder)

    def command(self):
        return [self.station.siding, "publish", "--quiet", self.database]

    def rows(self):
        """How many rows there are once nothing is under way."""
        server = self.bench.server
        server.wait_until_alone(self.database)
        is_there = server.value(f"SELECT to_regclass('{self.table}')", self.database)
        return int(server.value(f"SELECT count(*) FROM {self.table}", self.database)) if is_there else 0

    def faults(self):
        """What the copy lacks, has twice, or has as it was before, against the file."""
        database = sqlite3.connect(f"file:{self.station.file}?mode=ro", uri=True)
        wanted = {str(key): hash(body) for key, body in database.execute("SELECT key, body FROM siding_records_items")}
        database.close()
        rows = self.rows()
        query = f"SELECT {self.key} || ' ' || ({self.body})::text FROM {self.table}"
        psql = subprocess.Popen([*self.bench.server.psql(self.database), "-c", query], stdout=subprocess.PIPE, text=True)
        found = {}
        for line in psql.stdout if rows else []:
            key, _, body = line.rstrip("\n").partition(" ")
            found[key] = hash(body)
        psql.stdout.close()
        psql.wait()
        counts = {
            "lost": len(wanted.keys() - found.keys()), "doubled": rows - len(found),
            "old": sum(key in wanted and wanted[key] != body for key, body in found.items())}
        return [f"{count:,} {fault}" for fault, count in counts.items() if count]

    def leftovers(self):
        return "nothing"

    def end(self):
        self.bench.server.drop(self.database)
        shutil.rmtree(self.folder)
        del self.station.config["publish"][self.database]
        self.station.save()


class Script(Tool):
    name, table, key, body = "`sqlite3 -csv`, psql `\\copy`", "fleet.items", "key", "body"

    def command(self):
        return [f"{HERE}/psql_copy.sh", self.station.file, self.bench.server.socket, self.database, self.folder]

    def leftovers(self):
        path = f"{self.folder}/changes.csv"
        return f"a CSV file of {os.path.getsize(path) / 1e6:.0f} MB" if os.path.exists(path) else "nothing"


class Dlt(Tool):
    name, table, key, body, flags = "dlt", "fleet.items", "key", "body", []

    def command(self):
        # dlt insists on a password and a host; libpq takes the later host.
        address = f"postgresql://siding:any@localhost/{self.database}?host={self.bench.server.socket}"
        return [f"{self.bench.tools}/bin/python", f"{HERE}/dlt_copy.py", self.station.file, address, self.folder, *self.flags]

    def leftovers(self):
        server, staging = self.bench.server, 0
        if server.value("SELECT to_regclass('fleet_staging.items')", self.database):
            staging = int(server.value("SELECT count(*) FROM fleet_staging.items", self.database))
        paths = glob.glob(f"{self.folder}/pipelines/peer/*/*/[0-9]*.[0-9]*")
        packages = len([path for path in paths if "/loaded/" not in path])
        return f"{staging:,} rows in a staging table, {packages} package{'' if packages == 1 else 's'} on the disk"


class TunedDlt(Dlt):
    name, flags = "dlt, tuned", ["--tuned"]


def peers(bench):
    count = bench.size("PEER_RECORDS")
    tools = [Tool, Script]
    if os.path.exists(f"{bench.tools}/installed"):
        tools += [Dlt, TunedDlt]
    station, origin = bench.station("peers", count)
    station.sync()
    bench.figures.head(f"{count:,} records of one file, then 1 % of them changed")
    copies = [kind(bench, station, number) for number, kind in enumerate(tools)]
    first = [complete(copy) for copy in copies]
    origin.change(100)
    station.sync()
    changed = [complete(copy) for copy in copies]
    unchanged = [complete(copy) for copy in copies]
    print("  | tool | first load | peak memory, largest process | 1 % changed | nothing changed |\n  |---|---|---|---|---|")
    for copy, one, two, three in zip(copies, first, changed, unchanged):
        print(f"  | {copy.name} | {one.seconds:.1f} s | {one.peak:.0f} MiB | {two.seconds:.2f} s | {three.seconds:.2f} s |")
        copy.end()
    bench.figures.head("a first load is killed (kill -9), then 1 % of the records change")
    print("  | tool | killed after | rows then | and beside them | after the next run | after one more |\n  |---|---|---|---|---|---|")
    number = len(tools)
    for kind, one in zip(tools, first):
        for moment in MOMENTS:
            killed(kind(bench, station, number), one.seconds * moment, origin)
            number += 1


def complete(copy):
    taken = copy.run()
    if faults := copy.faults():
        raise SystemExit(f"{copy.name}: {', '.join(faults)}")
    return taken


def killed(copy, after, origin):
    taken = copy.run(killed_after=after)
    row = [copy.name, f"{after:.1f} s{'' if taken.is_killed else ' (it had ended)'}", f"{copy.rows():,}", copy.leftovers()]
    origin.change(100)
    copy.station.sync()
    for _ in range(2):
        again = copy.run(may_fail=True)
        faults = copy.faults() + (["failed"] if again.has_failed else [])
        row.append(f"{', '.join(faults) or 'complete'} ({again.seconds:.1f} s)")
        if again.has_failed:
            print(again.out)
    copy.end()
    print(f"  | {' | '.join(row)} |", flush=True)
