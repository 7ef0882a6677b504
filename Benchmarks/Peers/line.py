# SPDX-License-Identifier: Apache-2.0
"""A line that fails at random: `siding demo --relay`, and before it a meter of what comes out towards the client."""

import os
import re
import socket
import struct
import subprocess
import threading


class Line:
    """`port` is the address for the client; `received` counts the bytes that it was sent, `outages` the failures so far."""

    def __init__(self, origin, seed):
        self.received = self.outages = 0
        self.relay = subprocess.Popen(
            [os.environ["SIDING"], "demo", "--relay", f"http://127.0.0.1:{origin}", "--seed", str(seed)],
            stdout=subprocess.PIPE, text=True)
        first = self.relay.stdout.readline()
        self.behind = int(re.search(r"http://127\.0\.0\.1:(\d+)", first).group(1))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        start(self.count_outages)
        start(self.accept)

    def stop(self):
        self.relay.kill()
        self.relay.wait()

    def count_outages(self):
        for state in self.relay.stdout:
            self.outages += "is cut" in state or "is silent" in state

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                relay = socket.create_connection(("127.0.0.1", self.behind))
            except OSError:
                reset(client)  # the relay refuses connections in an outage
                continue
            start(self.pass_on, client, relay, 0)
            start(self.pass_on, relay, client, 1)

    def pass_on(self, source, target, counts):
        try:
            while piece := source.recv(65_536):
                self.received += counts * len(piece)
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            reset(target)


def start(work, *words):
    threading.Thread(target=work, args=words, daemon=True).start()


def reset(connection):
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
    except OSError:
        pass
