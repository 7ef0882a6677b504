# SPDX-License-Identifier: Apache-2.0
"""Django: REST framework by page, offset and cursor, and GraphQL by a relay connection. Both serve one table."""

import base64
import json
import os
import sys

from mirror import Failure
from peer import Peer
from raw import elements, member


class Django(Peer):
    def start(self):
        site = os.path.join(os.path.dirname(__file__), "django_site.py")
        self.launch(
            [sys.executable, site, str(self.port)], **os.environ, SITE_DATABASE=f"{self.folder}/site.db")

    def item(self):
        data = self.data
        return {"title": data.title(), "big": data.big(), "ratio": data.ratio(), "nested": data.nested()}

    def post(self, path, body):
        return json.loads(self.ask(path, "POST", body)[0])

    def fill(self, count):
        for _ in range(count):
            self.post("/api/pages/", self.item())

    def ids(self):
        return [json.loads(record)["id"] for record in self.listed("cursors")]

    def listed(self, name):
        found, path = [], f"/api/{name}/?" + ("limit=200" if name == "offsets" else "page_size=200")
        while path:
            text, _ = self.ask(path)
            found += elements(text, "results")
            path = json.loads(member(text, "next"))
        return found

    def change(self):
        ids = self.ids()
        self.data.random.shuffle(ids)
        changed, deleted = len(ids) // 30, len(ids) // 50
        for id in ids[:changed]:
            self.ask(f"/api/pages/{id}/", "PATCH", {"title": self.data.title(), "ratio": self.data.ratio()})
        for id in ids[changed:changed + deleted]:
            self.ask(f"/api/pages/{id}/", "DELETE")
        self.fill(20)

    # Own writes

    def choose(self):
        ids = self.data.random.sample(self.ids(), 24)
        self.created = [self.data.title() for _ in range(12)]
        self.edited = {id: self.data.title() for id in ids[:12]}
        self.deleted = ids[12:]

    def by_title(self):
        found = {}
        for record in map(json.loads, self.listed("cursors")):
            found.setdefault(record["title"], []).append(record["id"])
        return found

    def look(self, title, is_create=False):
        def arrived():
            found = self.by_title().get(title)
            return found and (["--real-id", self.key(found[0])] if is_create else [])
        return arrived

    def look_for_deletion(self, id):
        return lambda: None if id in self.ids() else []

    def expect_arrived(self):
        there, ids = self.by_title(), set(self.ids())
        for title in self.created:
            if len(there.get(title, [])) != 1:
                raise Failure(f"the create of {title!r} came {len(there.get(title, []))} times")
        for id, title in self.edited.items():
            if id in ids and there.get(title) != [id]:
                raise Failure(f"the edit of {id} did not come")
        for id in self.deleted:
            if id in ids:
                raise Failure(f"{id} was not deleted")


class DRF(Django):
    resources = ["items", "offsets", "cursors", "automatic"]

    def config(self):
        return f"""
version: 1
database: {{ path: mirror.db }}
sources:
  site: {{ base_url: "{self.origin}/api" }}
resources:
  items:                                    # PageNumberPagination
    path: /pages/
    query: {{ page_size: 60 }}
    records: "$.results[*]"
    key: id
    paginate: {{ type: next_url, path: $.next }}
    deletes: {{ detect: complete_listing, verify: "/pages/{{id}}/" }}
  offsets:                                  # LimitOffsetPagination
    path: /offsets/
    records: "$.results[*]"
    key: id
    paginate: {{ type: offset, limit: 60 }}
    deletes: {{ detect: complete_listing, verify: "/offsets/{{id}}/" }}
  cursors:                                  # CursorPagination by a member that never changes
    path: /cursors/
    query: {{ page_size: 60 }}
    records: "$.results[*]"
    key: id
    paginate: {{ type: next_url, path: $.next }}
    stable: true
    deletes: {{ detect: complete_listing }}
  automatic:                                # what is not declared
    path: /pages/
    key: id
    deletes: {{ detect: complete_listing }}
writes:
  items:
    create: {{ path: /pages/ }}
    update: {{ path: "/pages/{{id}}/" }}
    delete: {{ path: "/pages/{{id}}/" }}
    conflict: {{ then: mine }}
"""

    def records(self, resource):
        return self.listed("pages" if resource in ("items", "automatic") else resource)

    def key(self, id):
        return str(id)

    def own_writes(self):
        self.choose()
        return (
            [(["items.create"], json.dumps({"title": title, "nested": {"own": [1, None]}}), self.look(title, True))
             for title in self.created]
            + [(["items.update", str(id)], json.dumps({"title": title}), self.look(title))
               for id, title in self.edited.items()]
            + [(["items.delete", str(id)], None, None) for id in self.deleted])


class GraphQL(Django):
    listing = "query($after: String) { items(first: 70, after: $after) { edges { node { id title big ratio nested } } pageInfo { endCursor hasNextPage } } }"
    answer = "{ node { id title big ratio nested } }"

    def config(self):
        return f"""
version: 1
database: {{ path: mirror.db }}
sources:
  site: {{ base_url: "{self.origin}" }}
resources:
  items:
    path: /graphql
    method: POST
    body: {{ query: "{self.listing}", variables: {{ after: null }} }}
    records: "$.data.items.edges[*]"
    key: $.node.id
    paginate: {{ type: cursor, path: $.data.items.pageInfo.endCursor, in: body, param: $.variables.after }}
    stop: {{ has_more: $.data.items.pageInfo.hasNextPage }}
    deletes: {{ detect: complete_listing }}
writes:
  items:
    record: $.variables
    create: {{ path: /graphql, id: $.data.create.node.id }}
    update: {{ method: POST, path: "/graphql?id={{id}}", body: part }}
    delete: {{ method: POST, path: "/graphql?id={{id}}" }}
    conflict: {{ then: mine }}
"""

    def records(self, resource):
        found, after = [], None
        while True:
            text, _ = self.ask("/graphql", "POST", {"query": self.listing, "variables": {"after": after}})
            found += elements(text, "data", "items", "edges")
            info = json.loads(member(text, "data", "items", "pageInfo"))
            if not info["hasNextPage"]:
                return found
            after = info["endCursor"]

    def key(self, id):
        return base64.b64encode(f"Item:{id}".encode()).decode()

    def own_writes(self):
        self.choose()
        create = "mutation($node: ItemInput!) { create(node: $node) " + self.answer + " }"
        writes = [
            (["items.create"], json.dumps({"query": create, "variables": {"node": {"title": title}}}), self.look(title, True))
            for title in self.created]
        for id, title in self.edited.items():
            update = f'mutation($node: ItemInput!) {{ update(id: "{self.key(id)}", node: $node) {self.answer} }}'
            body = {"query": update, "variables": {"node": {"title": title}}}
            writes.append((["items.update", self.key(id)], json.dumps(body), self.look(title)))
        for id in self.deleted:
            body = {"query": f'mutation {{ delete(id: "{self.key(id)}") }}'}
            writes.append((["items.delete", self.key(id)], json.dumps(body), self.look_for_deletion(id)))
        return writes
