# SPDX-License-Identifier: Apache-2.0
"""Datasette: tables of a SQLite file, paged by `_next`. The stable version is read only; the next one takes writes."""

import json
import os
import sqlite3
import subprocess

from mirror import Failure
from peer import Peer
from raw import elements, member


class Datasette(Peer):
    # Three ways to the next page: its token, what `auto` finds (the Link field), the URL in the body; and a key of two members.
    resources = ["tokens", "links", "urls", "pairs"]
    writes = False
    # Cache-Control: max-age=5
    rest = 5.2
    options = []

    def config(self):
        return f"""
version: 1
database: {{ path: mirror.db }}
sources:
  data: {{ base_url: "{self.origin}" }}
resources:
  tokens: &table
    path: /data/items.json
    query: {{ _shape: objects, _size: 73 }}
    records: "$.rows[*]"
    key: id
    paginate: {{ type: cursor, path: $.next, param: _next }}
    stable: true
    deletes: {{ detect: complete_listing }}
  links:
    <<: *table
    paginate: auto
  urls:
    <<: *table
    paginate: {{ type: next_url, path: $.next_url }}
  pairs:
    <<: *table
    path: /data/pairs.json
    key: [name, number]
"""

    def start(self):
        self.file = sqlite3.connect(f"{self.folder}/data.db", isolation_level=None)
        self.file.execute("PRAGMA journal_mode = wal")
        self.file.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, title TEXT, big INTEGER, ratio REAL, nested TEXT)")
        self.file.execute("CREATE TABLE pairs (name TEXT, number INTEGER, title TEXT, PRIMARY KEY (name, number))")
        self.launch([self.tool("datasette"), "serve", f"{self.folder}/data.db", "--port", str(self.port), *self.options])

    def fill(self, count):
        self.file.execute("BEGIN")
        for _ in range(count):
            self.insert()
        for number in range(count // 4):
            name = self.data.random.choice(["a,b", "a/b", "a~b", "é", "a b", "100%"])
            self.file.execute("INSERT INTO pairs VALUES (?, ?, ?)", (name, number, self.data.title()))
        self.file.execute("COMMIT")

    def insert(self):
        data = self.data
        self.file.execute(
            "INSERT INTO items (title, big, ratio, nested) VALUES (?, ?, ?, ?)",
            (data.title(), data.big(), data.ratio(), json.dumps(data.nested())))

    def change(self):
        data = self.data
        ids = [row[0] for row in self.file.execute("SELECT id FROM items")]
        for id in data.random.sample(ids, len(ids) // 30):
            self.file.execute("UPDATE items SET title = ?, ratio = ? WHERE id = ?", (data.title(), data.ratio(), id))
        for id in data.random.sample(ids, len(ids) // 50):
            self.file.execute("DELETE FROM items WHERE id = ?", (id,))
        self.file.execute("DELETE FROM pairs WHERE number % 37 = 5")
        for _ in range(20):
            self.insert()

    def records(self, resource):
        found, table = [], "pairs" if resource == "pairs" else "items"
        path = f"/data/{table}.json?_shape=objects&_size=1000"
        while path:
            text, _ = self.ask(path)
            found += elements(text, "rows")
            path = json.loads(member(text, "next_url"))
        return found


class DatasetteWrites(Datasette):
    """Datasette 1.0 as it is so far: a JSON API for writes, without keys for repeated requests."""

    resources = ["items"]
    writes = True
    rest = 0
    options = ["--secret", "s"] + [
        word for action in ("insert", "update", "delete") for word in ("-s", f"permissions.{action}-row", '{"id": "root"}')]

    def config(self):
        return f"""
version: 1
database: {{ path: mirror.db }}
sources:
  data: {{ base_url: "{self.origin}", auth: {{ type: bearer, token: {{ env: DATASETTE_TOKEN }} }} }}
resources:
  items:
    path: /data/items.json
    query: {{ _size: 73 }}
    records: "$.rows[*]"
    key: id
    paginate: {{ type: cursor, path: $.next, param: _next }}
    stable: true
    deletes: {{ detect: complete_listing }}
writes:
  items:
    record: $.row
    create: {{ path: /data/items/-/insert, id: "$.rows[0].id" }}
    update: {{ method: POST, path: "/data/items/{{id}}/-/update", body: part }}
    delete: {{ method: POST, path: "/data/items/{{id}}/-/delete" }}
    conflict: {{ then: mine }}
"""

    def __init__(self, folder, data):
        super().__init__(folder, data)
        token = [self.tool("datasette"), "create-token", "root", "--secret", "s"]
        self.environment = {"DATASETTE_TOKEN": subprocess.check_output(token, text=True).strip()}

    def tool(self, name):
        return f"{os.environ['SIDING_PEERS_NEXT']}/bin/{name}"

    def records(self, resource):
        found, after = [], ""
        while after is not None:
            text, _ = self.ask(f"/data/items.json?_size=1000{after}")
            found += elements(text, "rows")
            token = json.loads(member(text, "next"))
            after = token and f"&_next={token}"
        return found

    # Own writes

    def own_writes(self):
        ids = self.data.random.sample([json.loads(record)["id"] for record in self.records("items")], 24)
        self.created = [self.data.title() for _ in range(12)]
        self.edited = {id: self.data.title() for id in ids[:12]}
        self.deleted = ids[12:]

        def body(name, title):
            return json.dumps({name: {"title": title, "big": self.data.big()}, "return": True})

        return (
            [(["items.create"], body("row", title), self.look(title, True)) for title in self.created]
            + [(["items.update", str(id)], body("update", title), self.look(title)) for id, title in self.edited.items()]
            + [(["items.delete", str(id)], "{}", self.look_for_deletion(id)) for id in self.deleted])

    def ids(self, condition="", *values):
        return [row[0] for row in self.file.execute(f"SELECT id FROM items {condition}", values)]

    def look(self, title, is_create=False):
        def arrived():
            found = self.ids("WHERE title = ?", title)
            return (["--real-id", str(found[0])] if is_create else []) if found else None
        return arrived

    def look_for_deletion(self, id):
        return lambda: None if id in self.ids() else []

    def expect_arrived(self):
        for title in self.created:
            if len(self.ids("WHERE title = ?", title)) != 1:
                raise Failure(f"the create of {title!r} came {len(self.ids('WHERE title = ?', title))} times")
        for id, title in self.edited.items():
            if id in self.ids() and self.ids("WHERE title = ?", title) != [id]:
                raise Failure(f"the edit of {id} did not come")
        for id in self.deleted:
            if id in self.ids():
                raise Failure(f"{id} was not deleted")
