# SPDX-License-Identifier: Apache-2.0
"""The collection, and an origin on loopback that lists it by page number and Link, with ETags and ranges."""

import hashlib
import json
import random
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

RECORDS, PER_PAGE = 4_500, 150
PAGES = RECORDS // PER_PAGE


def record(number):
    chance = random.Random(number)
    words = " ".join("".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(3, 9))) for _ in range(60))
    return {"id": number, "title": f"Record {number}", "done": number % 2 == 0, "text": words}


PAGE_BODIES = [
    json.dumps([record(n + 1) for n in range(page * PER_PAGE, (page + 1) * PER_PAGE)]).encode() for page in range(PAGES)]
BYTES = sum(map(len, PAGE_BODIES))


class Origin(ThreadingHTTPServer):
    """`requests` counts those that arrived."""

    daemon_threads = True

    def __init__(self):
        self.requests = 0
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass  # the line broke


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.server.requests += 1
        number = int(parse_qs(urlsplit(self.path).query).get("page", ["1"])[0])
        body = PAGE_BODIES[number - 1]
        tag = '"' + hashlib.sha256(body).hexdigest()[:16] + '"'
        if self.headers.get("If-None-Match") == tag:
            return self.answer(304, number, tag, b"")
        asked = self.headers.get("Range", "")
        if not asked.startswith("bytes=") or not asked.endswith("-") or self.headers.get("If-Range", tag) != tag:
            return self.answer(200, number, tag, body)
        start = int(asked[len("bytes="):-1])
        self.answer(206, number, tag, body[start:], f"bytes {start}-{len(body) - 1}/{len(body)}")

    def answer(self, status, number, tag, body, content_range=None):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("ETag", tag)
        self.send_header("Accept-Ranges", "bytes")
        if content_range:
            self.send_header("Content-Range", content_range)
        if number < PAGES:
            self.send_header("Link", f'<http://{self.headers["Host"]}/items?page={number + 1}>; rel="next"')
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
