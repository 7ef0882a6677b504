# SPDX-License-Identifier: Apache-2.0
"""Records of 515 bytes each, the same on every machine, and an origin on loopback that lists them a page at a time."""
import http.server
import os
import random
import re
import threading

PER_PAGE, LENGTH = 10_000, 515
LINE = LENGTH + 1
COLUMNS = {
    "serial": "integer", "name": "text", "balance": "decimal", "updated_at": "datetime", "verified": "boolean",
    "latitude": "real", "born": "date", "tags": "json",
}
FIRST = "Ada Grace Łukasz Zoë José Søren Mei 美咲 Иван Nguyễn Ólafur Fatima".split()
LAST = "O'Neil Müller Kowalski García Nakamura 田中 Smith Åkesson Петров Obi".split()
TAGS = "vip beta eu trial newsletter überfällig b2b".split()
NOTE = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna " * 5
SERIAL = b'"serial":'


def record(number, chance):
    below = chance.randrange
    tags = ",".join(f'"{tag}"' for tag in TAGS[:below(4)])
    head = (
        f'{{"id":{number},"serial":1{below(10**9):09d},"name":"{FIRST[below(12)]} {LAST[below(10)]}",'
        f'"balance":"{below(10**8) / 100:.2f}","updated_at":"2026-{1 + below(12):02d}-{1 + below(28):02d}T{below(24):02d}:00:07Z",'
        f'"verified":{"true" if below(2) else "false"},"latitude":{below(18 * 10**7) / 10**6 - 90:.6f},'
        f'"born":"{1940 + below(70)}-{1 + below(12):02d}-{1 + below(28):02d}","tags":[{tags}],"parent":null,"note":"').encode()
    start = below(60)
    return head + NOTE[start:start + LENGTH - len(head) - 2].encode() + b'"}\n'


def corpus(folder, count):
    """The path of a file with one record in each line. All lines are of one length, so that a page is a part of the file."""
    path = f"{folder}/hub-{count}.ndjson"
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        chance = random.Random(7)
        with open(f"{path}.new", "wb") as file:
            for number in range(1, count + 1):
                file.write(record(number, chance))
        os.rename(f"{path}.new", path)
    return path


class Origin(http.server.ThreadingHTTPServer):
    """Lists the first `count` records, with all changes so far. One that was changed N times has a serial of that first digit plus one."""

    daemon_threads = True

    def __init__(self, folder, count):
        self.total = self.count = count
        self.changes = []
        self.file = os.open(corpus(folder, count), os.O_RDONLY)
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server_port}"

    def change(self, share):
        """Changes one record in `share`, all over the collection; answers how many."""
        offset = 3 * len(self.changes) % share
        self.changes.append((share, offset))
        return len(range(offset, self.count, share))

    def page(self, number):
        start = (number - 1) * PER_PAGE
        end = min(start + PER_PAGE, self.count)
        page = bytearray(os.pread(self.file, (end - start) * LINE, start * LINE))
        for share, offset in self.changes:
            for index in range(start + (offset - start) % share, end, share):
                page[page.index(SERIAL, (index - start) * LINE) + len(SERIAL)] += 1
        return page, end < self.count


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        number = int((re.search(r"page=(\d+)", self.path) or [0, 1])[1])
        page, is_followed = self.server.page(number)
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Content-Length", str(len(page)))
        if is_followed:
            self.send_header("Link", f'</items?page={number + 1}>; rel="next"')
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_):
        pass
