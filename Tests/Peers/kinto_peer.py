# SPDX-License-Identifier: Apache-2.0
"""Kinto: the next page in the header field Next-Page, own writes under If-Match, changes with the marks of deleted records."""

import base64
import json
import subprocess

from mirror import Failure
from peer import Peer
from raw import elements


class Kinto(Peer):
    resources = ["items", "changes"]
    environment = {"KINTO_PASSWORD": "secret"}
    collection = "/v1/buckets/b/collections/c/records"

    def config(self):
        return f"""
version: 1
database: {{ path: mirror.db }}
sources:
  kinto:
    base_url: "{self.origin}/v1"
    auth: {{ type: basic, user: ada, password: {{ env: KINTO_PASSWORD }} }}
resources:
  items:                                    # everything; what two listings lack was deleted
    path: /buckets/b/collections/c/records
    query: {{ _sort: id, _limit: 90 }}
    records: "$.data[*]"
    key: id
    stable: true
    deletes: {{ detect: complete_listing }}
  changes:                                  # changes only; deleted records have a mark
    path: /buckets/b/collections/c/records
    query: {{ _sort: last_modified, _limit: 90, _since: "{{cursor}}" }}
    records: "$.data[*]"
    key: id
    cursor: {{ path: $.last_modified, type: integer, start: "0", order: asc }}
    deletes: {{ field: $.deleted }}
writes:
  items:
    record: $.data
    create: {{ method: PUT, path: "/buckets/b/collections/c/records/{{id}}" }}
    update: {{ path: "/buckets/b/collections/c/records/{{id}}", if_match: $.last_modified }}
    delete: {{ path: "/buckets/b/collections/c/records/{{id}}", if_match: $.last_modified }}
    conflict: {{ then: mine }}
"""

    def credentials(self):
        return {"Authorization": "Basic " + base64.b64encode(b"ada:secret").decode()}

    def start(self):
        ini = f"{self.folder}/kinto.ini"
        memory = ["--backend", "memory", "--cache-backend", "memory", "--host", "127.0.0.1"]
        subprocess.run([self.tool("kinto"), "init", *memory, "--ini", ini], check=True, capture_output=True)
        with open(ini) as file:
            text = file.read().replace("account:admin", "account:ada").replace("level = DEBUG", "level = ERROR")
        with open(ini, "w") as file:
            file.write(text)
        self.launch([self.tool("kinto"), "start", "--ini", ini, "--port", str(self.port)])
        self.ask("/v1/accounts/ada", "PUT", {"data": {"password": "secret"}})
        self.ask("/v1/buckets/b", "PUT")
        self.ask("/v1/buckets/b/collections/c", "PUT")

    def body(self):
        data = self.data
        return {"title": data.title(), "big": data.big(), "ratio": data.ratio(), "nested": data.nested()}

    def id(self):
        self.data.made += 1
        return f"r{self.data.random.randrange(10**9):09}-{self.data.made}"

    def batch(self, requests):
        for at in range(0, len(requests), 25):
            text, _ = self.ask("/v1/batch", "POST", {"requests": requests[at:at + 25]})
            for answer in json.loads(text)["responses"]:
                if answer["status"] >= 400:
                    raise Failure(f"batch: {answer}")

    def request(self, method, id, body=None):
        return {"method": method, "path": f"{self.collection}/{id}", **({"body": {"data": body}} if body else {})}

    def fill(self, count):
        self.batch([self.request("PUT", self.id(), self.body()) for _ in range(count)])

    def ids(self):
        return [json.loads(record)["id"] for record in self.records("items")]

    def change(self):
        ids = self.ids()
        self.data.random.shuffle(ids)
        changed, deleted = len(ids) // 30, len(ids) // 50
        self.batch(
            [self.request("PATCH", id, {"title": self.data.title()}) for id in ids[:changed]]
            + [self.request("DELETE", id) for id in ids[changed:changed + deleted]]
            + [self.request("PUT", self.id(), self.body()) for _ in range(20)])

    def records(self, resource):
        found, path = [], f"{self.collection}?_sort=id&_limit=1000"
        while path:
            text, fields = self.ask(path)
            found += elements(text, "data")
            path = fields["Next-Page"]
        return found

    # Own writes

    def own_writes(self):
        ids = self.data.random.sample(self.ids(), 24)
        self.created = {self.id(): self.body() for _ in range(12)}
        self.edited = {id: self.data.title() for id in ids[:12]}
        self.deleted = ids[12:]
        return (
            [(["items.create", id], json.dumps({"data": body}), None) for id, body in self.created.items()]
            + [(["items.update", id], json.dumps({"data": {"title": title}}), self.look(title))
               for id, title in self.edited.items()]
            + [(["items.delete", id], None, None) for id in self.deleted])

    def look(self, title):
        return lambda: [] if any(json.loads(record)["title"] == title for record in self.records("items")) else None

    def expect_arrived(self):
        there = {record["id"]: record for record in map(json.loads, self.records("items"))}
        for id, body in self.created.items():
            # Kinto makes a float of a large integer.
            if any(there.get(id, {}).get(name) != body[name] for name in ("title", "big", "ratio")):
                raise Failure(f"the create of {id} is {there.get(id)}")
        for id, title in self.edited.items():
            if id in there and there[id]["title"] != title:
                raise Failure(f"the edit of {id} is {there.get(id)}")
        for id in self.deleted:
            if id in there:
                raise Failure(f"{id} was not deleted")
