# SPDX-License-Identifier: Apache-2.0
"""The copy that `siding` keeps, and the executable itself."""

import json
import os
import sqlite3
import subprocess
import time

SIDING = os.environ["SIDING"]


class Failure(Exception):
    pass


class Mirror:
    def __init__(self, folder, config, environment):
        self.folder = folder
        self.environment = {**os.environ, **environment}
        with open(f"{folder}/siding.yaml", "w") as file:
            file.write(config)
        self.kills = 0

    def command(self, *words):
        return [SIDING, *words, "--config", f"{self.folder}/siding.yaml"]

    def start(self, *words):
        return subprocess.Popen(
            self.command(*words), env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def run(self, *words, codes=(0,)):
        done = subprocess.run(self.command(*words), env=self.environment, capture_output=True, text=True, timeout=300)
        if done.returncode not in codes:
            raise Failure(f"siding {' '.join(words)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def lines(self, *words, codes=(0,)):
        return [json.loads(line) for line in self.run(*words, "--json", codes=codes).splitlines()]

    def killed(self, after, *words):
        """Runs a command, and kills it after so many seconds unless it has ended. Returns whether it was killed."""
        process = self.start(*words)
        try:
            process.wait(after)
            return False
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            self.kills += 1
            return True

    def stored(self, resource):
        """The body of each living record."""
        database = sqlite3.connect(f"file:{self.folder}/mirror.db?mode=ro", uri=True)
        try:
            rows = database.execute(
                f'SELECT CAST(body AS BLOB) FROM "siding_records_{resource}" WHERE deleted_at IS NULL').fetchall()
        finally:
            database.close()
        return sorted(bytes(row[0]).decode() for row in rows)

    def queue(self):
        """The open writes."""
        return [entry for entry in self.lines("queue", "list") if entry.get("kind") == "write"]


def wait_for(condition, what, limit=60):
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {limit} s")
        time.sleep(0.05)


def step(title, play):
    began = time.monotonic()
    result = play() or ""
    print(f"  {title}: {result} ({time.monotonic() - began:.1f} s)", flush=True)
