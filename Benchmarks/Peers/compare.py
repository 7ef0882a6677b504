# SPDX-License-Identifier: Apache-2.0
"""Lets each tool copy the collection over its own line with the same failures, again and again as cron would, and prints one table."""

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

import duckdb

from line import Line
from origin import BYTES, PAGES, RECORDS, Origin, record

HERE = os.path.dirname(os.path.abspath(__file__))
SIDING = os.environ["SIDING"]
TOOLS = os.path.dirname(sys.executable)
PAUSE = 2  # seconds between two starts
CONFIG = """version: 1
database: {{ path: copy.db }}
sources: {{ origin: {{ base_url: "{url}" }} }}
resources: {{ items: {{ path: /items, key: id }} }}
"""


class Copy:
    """One tool at work. It begins again when it ends with an error, and when it is killed."""

    def __init__(self, name, root, command, read):
        self.name, self.read = name, read
        self.folder = tempfile.mkdtemp(dir=root)
        self.origin = Origin()
        self.line = Line(self.origin.server_port, seed)
        url = f"http://127.0.0.1:{self.line.port}"
        with open(f"{self.folder}/siding.yaml", "w") as file:
            file.write(CONFIG.format(url=url))
        self.command = command(url, self.folder)
        self.starts, self.complete = 0, False
        self.thread = threading.Thread(target=self.work)

    def work(self):
        begin = time.monotonic()
        left = lambda: limit - (time.monotonic() - begin)
        with open(f"{self.folder}/log", "wb") as log:
            while left() > 0:
                self.starts += 1
                process = subprocess.Popen(self.command, cwd=self.folder, stdout=log, stderr=log, start_new_session=True)
                try:
                    ended = process.wait(min(left(), kill or left()))
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    ended = process.wait()
                if ended == 0:
                    self.complete = sorted(self.read(self.folder)) == EXPECTED
                    break
                time.sleep(max(0, min(PAUSE, left())))
        self.seconds = time.monotonic() - begin
        self.line.stop()

    def row(self):
        return (f"| {self.name} | {'yes' if self.complete else 'no'} | {self.seconds:.0f} s | {self.starts} | {self.line.outages} "
                f"| {self.origin.requests} | {self.line.received / BYTES:.2f} |")


def from_sqlite(table):
    def read(folder):
        with sqlite3.connect(f"file:{folder}/copy.db?mode=ro", uri=True) as database:
            return database.execute(f"SELECT id, title, text FROM {table}").fetchall()
    return read


def from_duckdb(folder):
    with duckdb.connect(f"{folder}/copy.duckdb", read_only=True) as database:
        return database.execute("SELECT id, title, text FROM records.items").fetchall()


seed, limit, kill = (int(word) for word in sys.argv[1:])
os.environ["SQLITE_UTILS"] = f"{TOOLS}/sqlite-utils"
EXPECTED = [(n, each["title"], each["text"]) for n in range(1, RECORDS + 1) for each in [record(n)]]
with tempfile.TemporaryDirectory(prefix="siding-peers-") as folder:
    copies = [
        Copy(name, folder, command, read) for name, command, read in [
            ("`siding sync`", lambda url, folder: [SIDING, "sync"], from_sqlite("items")),
            ("dlt", lambda *words: [sys.executable, f"{HERE}/dlt_copy.py", *words], from_duckdb),
            ("requests with Retry", lambda *words: [sys.executable, f"{HERE}/script_copy.py", *words], from_sqlite("items")),
            ("curl and sqlite-utils", lambda *words: [f"{HERE}/curl_copy.sh", *words], from_sqlite("items")),
        ]
    ]
    print(f"{RECORDS} records in {PAGES} pages, {BYTES / 1e6:.1f} MB; failures of seed {seed}; at most {limit} s"
          + (f"; killed every {kill} s" if kill else ""), end="\n\n")
    print("| tool | complete | time | starts | outages | requests | bytes on the line to those of the collection |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for copy in copies:
        copy.thread.start()
    for copy in copies:
        copy.thread.join()
        print(copy.row(), flush=True)
