# SPDX-License-Identifier: Apache-2.0
"""Mirrors each peer through `siding`, byte for byte, through kills, changes at the origin and own writes."""

import json
import os
import sys
import tempfile
import time
import traceback

import beside
from data import Data
from django_peer import DRF, GraphQL
from datasette_peer import Datasette, DatasetteWrites
from kinto_peer import Kinto
from mirror import Failure, Mirror, step

PEERS = {
    "datasette": Datasette, "datasette-writes": DatasetteWrites, "datasette-beside": beside.Origin, "kinto": Kinto,
    "drf": DRF, "graphql": GraphQL}


class Proof:
    def __init__(self, peer, folder, seed):
        self.peer, self.seed = peer, seed
        self.random = peer.data.random
        # By entry: looks at the origin; what `queue resolve --arrived` is told, or None if the write did not arrive.
        self.looks = {}
        self.mirror = Mirror(folder, peer.config(), peer.environment)

    def play(self, count):
        self.peer.start()
        try:
            self.peer.fill(count)
            step("listings cut by kill -9", self.first)
            step("nothing changed", self.unchanged)
            step("updates, creates and deletions at the origin", self.changed)
            if self.peer.writes:
                step("own writes, with kill -9", self.own_writes)
                step("own writes while a listing runs", self.both)
            return self.mirror.kills
        finally:
            self.peer.stop()

    # What must be

    def expect_equal(self, resource=None):
        for name in [resource] if resource else self.peer.resources:
            stored, there = self.mirror.stored(name), sorted(self.peer.records(name))
            if stored != there:
                missing, surplus = set(there) - set(stored), set(stored) - set(there)
                raise Failure(
                    f"{name}: {len(stored)} stored, {len(there)} at the origin; {len(missing)} missing, such as "
                    f"{sorted(missing)[:2]}; {len(surplus)} surplus, such as {sorted(surplus)[:2]}")
        return f"{sum(len(self.peer.records(name)) for name in self.peer.resources)} records byte-exact"

    def sync(self):
        """Until nothing is incomplete; deletions need up to three listings."""
        for _ in range(4):
            time.sleep(self.peer.rest)
            self.mirror.run("sync", codes=(0, 75))

    # What happens

    def first(self):
        for _ in range(8):
            self.mirror.killed(self.random.uniform(0.05, 0.4), "sync")
        self.mirror.run("sync")
        return f"{self.mirror.kills} kills, {self.expect_equal()}"

    def unchanged(self):
        time.sleep(self.peer.rest)
        for line in self.mirror.lines("sync"):
            for counter in ("inserted", "updated", "deleted", "quarantined"):
                if line.get(counter):
                    raise Failure(f"a sync of what did not change: {line}")

    def changed(self):
        self.peer.change()
        time.sleep(self.peer.rest)
        before = self.mirror.kills
        for _ in range(3):
            self.mirror.killed(self.random.uniform(0.05, 0.4), "sync")
        self.sync()
        return f"{self.mirror.kills - before} kills, {self.expect_equal()}"

    def own_writes(self):
        wanted = self.peer.own_writes()
        for write in wanted:
            self.send(write, "--no-send")
        before = self.mirror.kills
        for _ in range(6):
            self.mirror.killed(self.random.uniform(0.05, 0.2), "queue", "run")
        self.deliver()
        self.peer.expect_arrived()
        self.sync()
        return f"{len(wanted)} writes, {self.mirror.kills - before} kills, {self.expect_equal()}"

    def send(self, write, *options):
        words, body, look = write
        printed = self.mirror.run("send", *words, *(["-d", body] if body else []), *options, codes=(0, 75))
        self.looks[printed.split()[0]] = look

    def deliver(self):
        """Sends what is queued; looks at the origin, as an operator, for what may have arrived."""
        for _ in range(20):
            self.mirror.run("queue", "run", codes=(0, 3, 69, 75))
            waiting = self.mirror.queue()
            if not waiting:
                return
            for entry in waiting:
                if entry["state"] != "parked":
                    continue
                if entry["reason"] == "poison":
                    # Three of its senders were killed, and it may be sent twice.
                    self.mirror.run("queue", "release", entry["id"], codes=(0, 3, 69, 75))
                    continue
                if entry["reason"] != "uncertain":
                    raise Failure(self.mirror.run("queue", "show", entry["id"]))
                found = self.looks[entry["id"]]()
                if found is None:
                    self.mirror.run("queue", "retry", entry["id"], "--yes", codes=(0, 3, 69, 75))
                else:
                    self.mirror.run("queue", "resolve", entry["id"], "--arrived", "--yes", *found)
        raise Failure(f"not delivered: {self.mirror.queue()}")

    def both(self):
        self.peer.change()
        wanted = self.peer.own_writes()
        process = self.mirror.start("sync", "--full")
        for write in wanted:
            self.send(write)
            if process.poll() is not None:
                process = self.mirror.start("sync", "--full")
        process.wait(120)
        self.deliver()
        self.peer.expect_arrived()
        self.sync()
        return f"{len(wanted)} writes, {self.expect_equal()}"


def main(names):
    seed, count = int(os.environ.get("SIDING_PEERS_SEED", 1)), int(os.environ.get("SIDING_PEERS_RECORDS", 2000))
    failed = []
    for name in names or PEERS:
        print(f"{name}, {count} records, seed {seed}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            try:
                proof = beside.Beside if name == "datasette-beside" else Proof
                kills = proof(PEERS[name](folder, Data(seed)), folder, seed).play(count)
                print(f"  {name}: passed, {kills} kills", flush=True)
            except Exception as error:
                failed.append(name)
                print(f"  {name}: FAILED: {error}", flush=True)
                if not isinstance(error, Failure):
                    traceback.print_exc()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
