# SPDX-License-Identifier: Apache-2.0
"""A server that runs on loopback, in a process of its own."""

import json
import socket
import subprocess
import sys
import urllib.error
import urllib.request

from mirror import Failure, wait_for


class Peer:
    resources = ["items"]
    writes = True
    environment = {}
    # How long an answer of the origin may be reused, in seconds.
    rest = 0

    def __init__(self, folder, data):
        self.folder, self.data = folder, data
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = found.getsockname()[1]
        self.origin = f"http://127.0.0.1:{self.port}"

    def launch(self, command, **environment):
        self.log = open(f"{self.folder}/server.log", "wb")
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, env=environment or None)
        wait_for(self.answers, f"{command[0]} answers")

    def answers(self):
        if self.process.poll() is not None:
            raise Failure("the server ended:\n" + open(f"{self.folder}/server.log").read()[-2000:])
        with socket.socket() as line:
            return line.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self):
        if getattr(self, "process", None):
            self.process.kill()
            self.process.wait()

    def ask(self, path, method="GET", body=None, fields={}):
        """The text of an answer, and its header fields."""
        data = None if body is None else json.dumps(body).encode()
        address = path if path.startswith("http") else self.origin + path
        request = urllib.request.Request(
            address, data, {"Content-Type": "application/json", **self.credentials(), **fields}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.read().decode(), answer.headers
        except urllib.error.HTTPError as error:
            raise Failure(f"{method} {path}: {error.code} {error.read()[:500]}") from None

    def credentials(self):
        return {}

    def tool(self, name):
        return f"{sys.prefix}/bin/{name}"
