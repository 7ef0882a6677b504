# SPDX-License-Identifier: Apache-2.0
"""A station: a folder with a config and a SQLite file, which the executable syncs and publishes."""
import json
import os

from origin import COLUMNS
from process import Run

STATION = "van-17"


class Station:
    def __init__(self, folder, siding, origin):
        self.folder, self.siding = folder, siding
        self.file = f"{folder}/station.db"
        self.config = {
            "version": 1, "database": {"path": "station.db"}, "sources": {"origin": {"base_url": origin.url}},
            "resources": {"items": {"path": "/items", "key": "id", "records": "lines", "columns": COLUMNS}}, "publish": {},
        }
        os.mkdir(folder, 0o700)
        self.save()

    def save(self):
        with open(f"{self.folder}/siding.yaml", "w") as file:
            # JSON is YAML. An empty map of targets is a fault.
            json.dump({key: value for key, value in self.config.items() if value}, file)

    def target(self, name, socket, database):
        address = f"host={socket} user=siding dbname={database}"
        self.config["publish"][name] = {"to": address, "station": STATION, "every": "5s"}
        self.save()

    def run(self, *words, killed_after=None):
        return Run([self.siding, *words], killed_after, cwd=self.folder)

    def sync(self):
        return self.run("sync", "--quiet")

    def publish(self, name, *words, killed_after=None):
        return self.run("publish", "--quiet", name, *words, killed_after=killed_after)
