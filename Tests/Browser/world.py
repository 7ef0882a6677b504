# SPDX-License-Identifier: Apache-2.0
"""An origin with hostile records, a store that mirrors it, writes in every state, and `siding serve` over them."""
import http.server
import json
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request

SIDING = os.environ["SIDING"]

# Each would run a script, leave its element or attribute, or change what is read, if it reached the page as it is.
HOSTILE = [
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 2</script>",
    "<img src=x onerror=\"window.hacked = 3\">",
    "<svg onload=window.hacked=4>",
    "\"><script>window.hacked = 5</script>",
    "' onmouseover='window.hacked = 6",
    "\" autofocus onfocus=\"window.hacked = 7",
    "\"\u0301 autofocus onfocus=window.hacked=8 x=\"\u0301",
    "<\u0301script>window.hacked = 9</script>",
    "javascript:window.hacked=10",
    "{{{hacked}}} {{#records}} {{> layout}} {{% CONTENT_TYPE: TEXT}}",
    "&lt;script&gt;window.hacked = 11&lt;/script&gt;",
    "<iframe srcdoc=\"<script>parent.hacked = 12</script>\"></iframe>",
    "<a href=\"javascript:window.hacked=13\">click</a>",
    "<style>*{display:none}</style><base href=//example.org>",
    "</code></pre></main><h1>not ours</h1>",
    "<!-- <form action=//example.org> ]]>",
    "\u202egpj.exe \u2066right to left\u2069 \u200bzero width",
    "\u001b[31mred\u001b[0m \u0000 nul \u0007 bell \r\n line",
    "<textarea></textarea><plaintext>",
    "%3Cscript%3Ewindow.hacked=14%3C/script%3E",
    "a" * 4_000,
]
# Keys are parts of addresses, too.
KEYS = ["a/b", "..", ".", "a?b#c", "a b+c%2F", "ключ", "\"><script>window.hacked=15</script>", "' x='", "&amp;", "\u202ekey"]


class Origin(http.server.BaseHTTPRequestHandler):
    """The notes, of which some change each time, and writes that end in every way."""

    protocol_version = "HTTP/1.1"
    version = 0

    def notes(self):
        notes = [{"id": str(n), "title": f"Note {n}", "body": f"Some words about the number {n}."} for n in range(1, 121)]
        notes += [{"id": key, "title": f"Key {key}", "body": "strange key"} for key in KEYS]
        notes += [{"id": f"hostile-{n}", "title": text, "body": f"words {text}", "nested": {text[:50]: [text]}}
                  for n, text in enumerate(HOSTILE)]
        notes[0]["title"] = f"Note 1, version {Origin.version}"
        notes[120]["body"] += f" <script>window.hacked = {Origin.version}</script>"
        return notes

    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/notes":
            return self.answer(200, self.notes())
        if path == "/strict":
            return self.answer(200, [{"id": 1, "size": 1 if Origin.version == 0 else HOSTILE[0]}] + [
                {"size": text} for text in HOSTILE])
        self.answer(500, {"error": HOSTILE[0]})

    def do_PATCH(self):
        note = self.path.rsplit("/", 1)[-1]
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if note in ("1", "11", "12", "13"):
            return self.answer(409, {"message": HOSTILE[2]})
        if note == "2":
            return self.answer(422, {"message": HOSTILE[4], "errors": HOSTILE})
        self.answer(200, {"id": note, "title": "as sent", "body": "by PATCH"})

    def do_POST(self):
        # Nobody knows whether it arrived.
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def answer(self, status, value):
        body = json.dumps(value, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class World:
    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="siding-browser-")
        self.origin = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
        threading.Thread(target=self.origin.serve_forever, daemon=True).start()
        self.config = os.path.join(self.directory.name, "siding.yaml")
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(f"""\
version: 1
database: {{ path: pages.db }}
sources:
  desk:
    base_url: http://127.0.0.1:{self.origin.server_address[1]}
    retry: {{ inline: 0 }}
    limits: [{{ rate: 100000/d }}]
resources:
  notes: {{ path: /notes, key: id, paginate: none, history: true, max_age: 1d }}
  strict: {{ path: /strict, key: id, paginate: none, max_age: 1d, contract: {{ type_change: quarantine }} }}
  broken: {{ path: /broken, key: id, paginate: none, max_age: 1d }}
writes:
  notes: {{ create: {{ path: /notes }}, update: {{ path: "/notes/{{id}}" }}, delete: {{ path: "/notes/{{id}}" }} }}
""")
        self.fill()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{probe.getsockname()[1]}"
        self.log = open(os.path.join(self.directory.name, "serve.log"), "w+", encoding="utf-8")
        self.service = subprocess.Popen(
            [SIDING, "serve", "--config", self.config, "--listen", self.url.removeprefix("http://")],
            stdout=self.log, stderr=self.log)
        self.wait()

    def siding(self, *words, check=None):
        done = subprocess.run([SIDING, *words, "--config", self.config], capture_output=True, text=True, timeout=120)
        if check is not None and done.returncode != check:
            raise SystemExit(f"siding {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def send(self, *words):
        lines = self.siding("send", *words, "--json").splitlines()
        return json.loads(lines[0]).get("id") if lines else None

    def fill(self):
        self.siding("sync")
        Origin.version = 1
        self.siding("sync")
        self.entries = {
            "conflict": self.send("notes.update", "1", "-d", '{"title":"mine"}'),
            "mine": self.send("notes.update", "11", "-d", '{"title":"mine"}'),
            "theirs": self.send("notes.update", "12", "-d", json.dumps({"title": HOSTILE[2]})),
            "merge": self.send("notes.update", "13", "-d", '{"title":"mine"}'),
            "rejected": self.send("notes.update", "2", "-d", json.dumps({"title": HOSTILE[1]})),
            "done": self.send("notes.update", "3", "-d", '{"title":"delivered"}'),
            "uncertain": self.send("notes.create", "-d", json.dumps({"id": "new", "title": HOSTILE[3]})),
            "held": self.send("notes.update", "4", "-d", '{"title":"held"}', "--no-send"),
            "watched": self.send("notes.update", "5", "-d", '{"title":"watched"}', "--no-send"),
            "header": self.send("POST", "desk:/else", "-d", HOSTILE[0], "-H", "Content-Type: text/plain",
                                "-H", f"X-Note: {HOSTILE[4]}", "--no-send"),
            "first": self.send("POST", "desk:/else", "-d", "{}", "--lane", "two", "--no-send"),
            "second": self.send("POST", "desk:/else", "-d", "{}", "--lane", "two", "--no-send"),
            "several": self.send("POST", "desk:/else", "-d", "{}", "--no-send"),
            "severals": self.send("POST", "desk:/else", "-d", "{}", "--no-send"),
        }
        missing = [name for name, entry in self.entries.items() if not entry]
        if missing:
            raise SystemExit(f"these writes made no entry: {missing}")
        self.siding("queue", "hold", *(self.entries[name] for name in ("held", "watched", "header", "first", "several", "severals")), check=0)

    def entry(self, name):
        return json.loads(self.siding("queue", "show", self.entries[name], "--json"))

    def quarantined(self):
        return [json.loads(line) for line in self.siding("quarantine", "list", "--json").splitlines()]

    def wait(self):
        for _ in range(300):
            try:
                with urllib.request.urlopen(f"{self.url}/healthz", timeout=5):
                    return
            except OSError:
                time.sleep(0.1)
            if self.service.poll() is not None:
                break
        self.log.seek(0)
        raise SystemExit(f"'siding serve' does not answer:\n{self.log.read()}")

    def close(self):
        self.service.send_signal(signal.SIGTERM)
        if self.service.wait(timeout=20) != 0:
            self.log.seek(0)
            raise SystemExit(f"'siding serve' ended with {self.service.returncode}:\n{self.log.read()}")
        self.origin.shutdown()
        self.directory.cleanup()
