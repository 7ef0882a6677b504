#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""serve.py WORK SIDING: what 'siding serve' costs while nothing happens, and how long its pages take; 1 where a bar is missed."""
import http.server
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time

work, siding = sys.argv[1], sys.argv[2]
RECORDS, ENTRIES, IDLE_SECONDS = 100_000, 50_000, 60
missed = []


class Origin(http.server.BaseHTTPRequestHandler):
    """Forty posts."""

    def do_GET(self):
        body = json.dumps([{"id": n, "title": f"number {n}"} for n in range(1, 41)]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def told(what, value, unit, bar):
    good = value <= bar
    print(f"{what:<52} {value:>8.2f} {unit:<3} bar {bar:g}{'' if good else '   MISSED'}")
    if not good:
        missed.append(what)


class Cost:
    """What a process has used, by proc(5)."""

    def __init__(self, process):
        folder = f"/proc/{process.pid}"
        with open(f"{folder}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        self.seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        self.wakes = {thread: self.field(f"{folder}/task/{thread}/status", "voluntary_ctxt_switches")
                      for thread in os.listdir(f"{folder}/task")}
        self.resident = self.field(f"{folder}/status", "VmRSS") / 1024
        self.own = self.field(f"{folder}/status", "RssAnon") / 1024

    def wakes_since(self, earlier):
        """Those of threads that ended meanwhile are not known."""
        return sum(count - earlier.wakes.get(thread, 0) for thread, count in self.wakes.items())

    @staticmethod
    def field(path, name):
        with open(path) as file:
            for line in file:
                if line.startswith(f"{name}:"):
                    return int(line.split()[1])
        sys.exit(f"{path} has no {name}")


def serve(address):
    process = subprocess.Popen([siding, "serve", "--quiet", "--listen", address], cwd=work)
    path = address.removeprefix("unix:")
    for _ in range(200):
        try:
            request(path, "/readyz")
            return process
        except OSError:
            if process.poll() is not None:
                sys.exit(f"siding serve ended with {process.returncode}")
            time.sleep(0.05)
    sys.exit("siding serve does not answer")


def request(path, target):
    """Milliseconds until the first byte of the answer."""
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
        start = time.perf_counter()
        client.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        first = client.recv(1)
        taken = (time.perf_counter() - start) * 1000
        answer = first + b"".join(iter(lambda: client.recv(1 << 16), b""))
        if target != "/readyz" and not answer.startswith(b"HTTP/1.1 200"):
            sys.exit(f"{target}: {answer[:200]!r}")
        return taken


def end(process):
    process.send_signal(signal.SIGTERM)
    start = time.monotonic()
    if process.wait(timeout=15):
        sys.exit(f"siding serve ended with {process.returncode}")
    return time.monotonic() - start


def fill():
    """A long past: many records, and writes that wait for a later time."""
    later = int((time.time() + 86_400) * 1e6)
    with sqlite3.connect(f"{work}/serve.db") as file:
        columns = "first_seen_at, changed_at, run, revision, pending, lives_since, cause, request, scope"
        file.execute(
            f"""WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < {RECORDS} + 99)
            INSERT INTO siding_records_posts (key, {columns}, body)
            SELECT i, {columns}, printf('{{"id":%d,"title":"number %d"}}', i, i)
            FROM n, (SELECT * FROM siding_records_posts LIMIT 1)""")
        file.execute(
            f"""WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ENTRIES})
            INSERT INTO siding_outbox (id, kind, state, source, lane, position, head, created_at, not_before)
            SELECT printf('%026d', i), 'write', 'queued', 'blog', 'lane ' || i, 1, 1, {later}, {later} FROM n""")
        file.execute(
            """INSERT INTO siding_outbox_requests (entry, method, url, body)
            SELECT seq, 'POST', 'http://127.0.0.1/posts', x'7b7d' FROM siding_outbox""")
        file.execute(
            """INSERT INTO siding_idempotency_keys (key, entry, field, is_honoured)
            SELECT printf('key %d', seq), seq, 'Idempotency-Key', 1 FROM siding_outbox""")


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
threading.Thread(target=server.serve_forever, daemon=True).start()
with open(f"{work}/siding.yaml", "w") as file:
    file.write(
        f"version: 1\ndatabase: {{ path: serve.db }}\nsources: {{ blog: {{ base_url: http://127.0.0.1:{server.server_port} }} }}\n"
        "resources: { posts: { path: /posts, key: id, schedule: { every: 1d } } }\n")
os.chmod(work, 0o700)
address = f"unix:{work}/page.sock"

process = serve(address)
time.sleep(3)  # the first sync ends meanwhile
before = Cost(process)
time.sleep(IDLE_SECONDS)
after = Cost(process)
told("idle: resident memory", after.resident, "MiB", 30)
print(f"{'      of which its own':<52} {after.own:>8.2f} MiB")
told("idle: share of a core", 100 * (after.seconds - before.seconds) / IDLE_SECONDS, "%", 0.1)
# Of all threads. One in each second is libdispatch's, which counts its threads by a timer; a look every ten seconds wakes several.
told("idle: wake-ups per second", after.wakes_since(before) / IDLE_SECONDS, "/s", 2)
told("idle: SIGTERM to the end", end(process), "s", 10)

fill()
process = serve(address)
time.sleep(3)
path = address.removeprefix("unix:")
for target in ["/", "/queue", "/runs", "/records", "/records/posts", "/api/status", "/api/queue",
               "/api/records/posts?after=50000", "/metrics"]:
    taken = sorted(request(path, target) for _ in range(9))
    told(f"{RECORDS:,} records, {ENTRIES:,} entries: {target}, median", taken[4], "ms", 100)
before = Cost(process)
print(f"{'resident memory after them':<52} {before.resident:>8.2f} MiB")
time.sleep(IDLE_SECONDS)
told("idle beside them: share of a core", 100 * (Cost(process).seconds - before.seconds) / IDLE_SECONDS, "%", 0.1)
end(process)
server.shutdown()
sys.exit(1 if missed else 0)
