#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""shards.py WORK SIDING: the time of one station and of four that share the fetching; 1 where a bar is missed."""
import collections
import http.server
import json
import os
import socketserver
import subprocess
import sys
import threading
import time

work, siding = sys.argv[1], sys.argv[2]
PARENTS, RECORDS, SECONDS_PER_PAGE, SHARDS, BAR = 2_000, 5, 0.05, 4, 3.5
asked = collections.Counter()
lock = threading.Lock()


class Origin(http.server.BaseHTTPRequestHandler):
    """Issues, and a page of comments for each."""

    protocol_version = "HTTP/1.1"
    # Without it the end of an answer waits for the reader's acknowledgement.
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_GET(self):
        with lock:
            asked[self.path] += 1
        time.sleep(SECONDS_PER_PAGE)
        if self.path == "/issues":
            ids = range(1, PARENTS + 1)
        else:
            issue = int(self.path.split("/")[2])
            ids = range(issue * RECORDS, (issue + 1) * RECORDS)
        body = json.dumps([{"id": n, "title": f"number {n}"} for n in ids]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128


def station(name):
    return os.environ | {"STATE_DIRECTORY": f"{work}/{name}", "HOME": work}


def seconds(shards):
    """How long the stations of these shards take, all at once; None for one that fetches everything."""
    begun = time.monotonic()
    processes = [
        subprocess.Popen(
            [siding, "sync", "--config", f"{work}/siding.yaml"] + (["--shard", shard] if shard else []),
            env=station(shard.replace("/", "-") if shard else "all"))
        for shard in shards
    ]
    for process in processes:
        if process.wait() != 0:
            sys.exit(f"a sync ended with {process.returncode}")
    return time.monotonic() - begun


def comments(name):
    lines = subprocess.run(
        [siding, "query", "--json", "--config", f"{work}/siding.yaml", "SELECT id FROM comments"],
        env=station(name), check=True, capture_output=True, text=True).stdout
    return [json.loads(line)["id"] for line in lines.splitlines()]


server = Server(("127.0.0.1", 0), Origin)
threading.Thread(target=server.serve_forever, daemon=True).start()
with open(f"{work}/siding.yaml", "w") as file:
    os.chmod(file.name, 0o600)
    file.write(f"""\
version: 1
sources: {{ tracker: {{ base_url: "http://127.0.0.1:{server.server_port}", http: {{ concurrency: 16 }} }} }}
resources:
  issues: {{ path: /issues, key: id }}
  comments: {{ for_each: {{ resource: issues, bind: {{ issue: $.id }} }}, path: "/issues/{{issue}}/comments", key: id }}
""")

one = seconds([None])
asked.clear()
shards = [f"{index}/{SHARDS}" for index in range(1, SHARDS + 1)]
four = seconds(shards)
parts = [comments(shard.replace("/", "-")) for shard in shards]
wanted = list(range(RECORDS, (PARENTS + 1) * RECORDS))
once = sorted(sum(parts, [])) == wanted == sorted(comments("all"))
pages = {path: count for path, count in asked.items() if path != "/issues"}
each = len(pages) == PARENTS and set(pages.values()) == {1}
print(f"one station                {one:8.2f} s   {PARENTS} parents, {SECONDS_PER_PAGE * 1000:.0f} ms for each page")
print(f"{SHARDS} stations                 {four:8.2f} s   {', '.join(str(len(part) // RECORDS) for part in parts)} parents")
good = one / four >= BAR
print(f"times faster               {one / four:8.2f}     bar {BAR}{'' if good else '   MISSED'}")
print(f"every record once          {'yes' if once else 'NO   MISSED':>8}")
print(f"every page asked for once  {'yes' if each else 'NO   MISSED':>8}")
server.shutdown()
sys.exit(0 if good and once and each else 1)
