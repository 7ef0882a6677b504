# SPDX-License-Identifier: Apache-2.0
"""hub.py WORK CORPUS SIDING TOOLS PART…: what publication costs, each figure beside its bar; ends with 1 where one is missed."""
import os
import platform
import sys

from adopt import adopt
from figures import Figures
from index import index
from load import load
from origin import Origin
from peers import peers
from postgres import Server
from station import Station
from steady import steady

PARTS = {"load": load, "steady": steady, "index": index, "peers": peers, "adopt": adopt}


class Bench:
    """What the parts share: the server, the figures, and a station whose records are in the hub."""

    def __init__(self, work, corpus, siding, tools):
        self.work, self.corpus, self.siding, self.tools = work, corpus, os.path.abspath(siding), tools
        self.records = int(os.environ.get("RECORDS", 1_000_000))
        self.rounds = int(os.environ.get("ROUNDS", 0))
        self.server = Server(work)
        self.figures = Figures()
        self.shared = None

    def size(self, name):
        """Of a part that has fewer records."""
        return int(os.environ.get(name, min(self.records, 100_000)))

    def station(self, name, count):
        origin = Origin(self.corpus, count)
        return Station(f"{self.work}/{name}", self.siding, origin), origin

    def synced(self):
        """A station with all records, and its origin; made when the first part asks for it."""
        if not self.shared:
            self.figures.head(f"first sync of {self.records:,} records")
            self.shared = self.station("station", self.records)
            taken = self.shared[0].sync()
            self.figures.tell("records per second", self.records / taken.seconds, "/s")
            self.figures.tell("peak memory", taken.peak, "MiB")
        return self.shared

    def published(self):
        """The same, with everything in the hub as the target `hub`."""
        station, origin = self.synced()
        if "hub" not in station.config["publish"]:
            station.target("hub", self.server.socket, self.server.create("hub"))
            station.publish("hub")
        return station, origin


def arithmetic(found):
    """A fleet on paper, from the figures of one machine."""
    if "rate" not in found:
        return
    rate, row = found["rate"], found["row"]
    print("\n1,000 stations with 1,000,000 records each, by these figures")
    print(f"  rows and index in the hub: {row * 1e9 / 1e12:.2f} TB")
    print(f"  first load, one station after the other: {1e9 / rate / 3600:.1f} h; each alone: {1e6 / rate:.0f} s")
    print(f"  all publish once a minute: {1000 / 60:.0f} commits/s; the hub's machine made {found['commits']:,.0f}/s")
    if "update" in found:
        print(f"  1 % of all records changed each day: {1e7 / 86400:.0f} rows/s; one station sent {found['update']:,.0f}/s")
        print(f"  and at most {found['update_wal'] * 1e7 / 1e9:.0f} GB of WAL a day: less where a page changes twice between checkpoints")
    if "adopt" in found:
        print(f"  a full comparison of one station: {1e6 / found['adopt']:.0f} s; of all, one after the other: "
              f"{1e9 / found['adopt'] / 3600:.1f} h")


work, corpus, siding, tools, *parts = sys.argv[1:]
bench = Bench(work, corpus, siding, tools)
print(f"PostgreSQL {bench.server.version}, {os.cpu_count()} cores of {platform.machine()}")
for part in parts:
    PARTS[part](bench)
arithmetic(bench.figures.found)
bench.figures.end()
