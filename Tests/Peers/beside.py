# SPDX-License-Identifier: Apache-2.0
"""Datasette on Siding's own file, as Docs/Operating.md has it, while Siding syncs and sends."""

import json
import os
import signal
import threading
import urllib.parse

from datasette_peer import DatasetteWrites
from mirror import Failure, Mirror, step, wait_for
from peer import Peer

PAGE = 73
ROUNDS = 10


class Origin(DatasetteWrites):
    """A table whose rows all change in one transaction, and one that takes writes."""

    def config(self):
        return super().config().replace("    key: id\n", "    key: id\n    max_age: 1s\n", 1)

    def start(self):
        super().start()
        self.file.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, note TEXT)")

    def change(self, generation):
        self.file.execute("UPDATE items SET big = ?", (generation,))

    def notes(self):
        return [row[0] for row in self.file.execute("SELECT note FROM notes ORDER BY note")]


class Shown(Peer):
    """`datasette serve mirror.db`, and a reader that asks it without a pause."""

    def __init__(self, mirror, count):
        os.mkdir(f"{mirror.folder}/shown")
        super().__init__(f"{mirror.folder}/shown", None)
        self.file, self.count = f"{mirror.folder}/mirror.db", count
        self.problem, self.isOver = None, threading.Event()
        # How many looks there were, and how many of them saw a listing under way.
        self.looks, self.partial = 0, 0

    def start(self):
        self.launch([self.tool("datasette"), "serve", self.file, "--port", str(self.port)])
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def stop(self):
        self.isOver.set()
        if getattr(self, "thread", None):
            self.thread.join()
        super().stop()

    def rows(self, sql):
        text, _ = self.ask("/mirror.json?" + urllib.parse.urlencode({"_shape": "arrays", "sql": sql}))
        return json.loads(text)["rows"]

    def generation(self):
        """The oldest one that is shown now; None before the first page, which brings the columns."""
        if self.problem:
            raise self.problem
        if self.rows("SELECT name FROM pragma_table_info('items') WHERE name = 'big'"):
            return self.rows("SELECT min(big) FROM items")[0][0]

    def watch(self):
        try:
            while not self.isOver.is_set():
                if self.generation() is not None:
                    self.look()
        except Exception as error:
            self.problem = error

    def look(self):
        """Every page is there with all of its records and one generation, or not at all."""
        pages = self.rows(
            f"SELECT (CAST(id AS INTEGER) - 1) / {PAGE}, count(*), min(big), max(big) FROM items GROUP BY 1 ORDER BY 1")
        for page, records, least, most in pages:
            if records != min(PAGE, self.count - page * PAGE) or least != most:
                raise Failure(f"page {page} shows {records} records of the generations {least} to {most}")
        self.looks += 1
        if len(pages) < -(-self.count // PAGE) or len({least for _, _, least, _ in pages}) > 1:
            self.partial += 1


class Beside:
    def __init__(self, peer, folder, seed):
        self.peer, self.written, self.last = peer, [], 0
        self.mirror = Mirror(folder, peer.config(), peer.environment)

    def play(self, count):
        self.shown = Shown(self.mirror, count)
        self.peer.start()
        try:
            self.peer.fill(count)
            self.peer.change(0)
            # This makes the file.
            self.send("--no-send")
            self.shown.start()
            step("syncs and writes", self.syncs)
            step("siding serve, and writes", self.service)
            self.mirror.run("db", "check")
            outcomes = {run["outcome"] for run in self.mirror.lines("runs", "list", "--limit", "1000")}
            if not outcomes <= {"saved", "not_modified"}:
                raise Failure(f"runs ended as {outcomes}")
            return self.mirror.kills
        finally:
            self.shown.stop()
            self.peer.stop()

    def send(self, *options):
        self.written.append(f"note {len(self.written):04}")
        body = json.dumps({"row": {"note": self.written[-1]}})
        # 75: another process is sending, and sends this one next.
        self.mirror.run("send", "POST", "data:/data/notes/-/insert", "-d", body, *options, codes=(0, 75))

    def syncs(self):
        for _ in range(ROUNDS):
            sync = self.mirror.start("sync")
            for _ in range(3):
                self.send()
            if sync.wait(60) != 0:
                raise Failure(f"siding sync: exit {sync.returncode}")
            self.expect_shown()
            self.next()
        self.mirror.run("queue", "run")
        return self.report()

    def service(self):
        service = self.mirror.start("serve", "--listen", "none")
        for _ in range(ROUNDS):
            for _ in range(3):
                self.send()
            self.expect_shown()
            self.next()
        self.expect_shown()
        found = self.report()
        service.send_signal(signal.SIGTERM)
        if service.wait(15) != 0:
            raise Failure(f"siding serve: exit {service.returncode}")
        return found

    def next(self):
        self.last += 1
        self.peer.change(self.last)

    def expect_shown(self):
        wait_for(lambda: self.shown.generation() == self.last, f"Datasette shows generation {self.last}")

    def report(self):
        wait_for(lambda: not self.mirror.queue(), "nothing is left in the queue")
        if not self.shown.partial:
            raise Failure("no look fell inside of a listing")
        found = self.peer.notes()
        if found != self.written:
            raise Failure(f"{len(self.written)} writes were made, {len(found)} arrived: {set(self.written) ^ set(found)}")
        return f"{self.last} generations, {len(found)} writes, {self.shown.looks} looks, {self.shown.partial} inside of a listing"
