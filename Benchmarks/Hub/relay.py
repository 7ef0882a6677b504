# SPDX-License-Identifier: Apache-2.0
"""A Unix socket before the one of a PostgreSQL server, which counts what a client sends and how often it waits for an answer."""
import os
import re
import socket
import threading

WRITING = re.compile(rb"\s*(INSERT|UPDATE|DELETE|COPY|CREATE|ALTER|DROP|TRUNCATE|MERGE)", re.IGNORECASE)


class Relay:
    """`sent` and `answered` count bytes, `round_trips` how often bytes of the server follow those of a client."""

    def __init__(self, folder, server):
        self.socket, self.server = folder, server
        os.mkdir(folder)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(f"{folder}/.s.PGSQL.5432")
        self.listener.listen()
        self.reset()
        threading.Thread(target=self.accept, daemon=True).start()

    def reset(self):
        self.connections = self.round_trips = self.sent = self.answered = 0
        self.statements = []

    @property
    def writes(self):
        return [statement for statement in self.statements if WRITING.match(statement)]

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.socket(socket.AF_UNIX)
            server.connect(f"{self.server}/.s.PGSQL.5432")
            self.connections += 1
            state = {"waits": False}
            threading.Thread(target=self.requests, args=(client, server, state), daemon=True).start()
            threading.Thread(target=self.answers, args=(server, client, state), daemon=True).start()

    def requests(self, client, server, state):
        messages = Messages(self.statements)
        while piece := read(client):
            state["waits"] = True
            self.sent += len(piece)
            messages.feed(piece)
            if not write(server, piece):
                break
        end(server)

    def answers(self, server, client, state):
        while piece := read(server):
            self.answered += len(piece)
            if state["waits"]:
                self.round_trips += 1
            state["waits"] = False
            if not write(client, piece):
                break
        end(client)


class Messages:
    """The statements in what a client sends (PostgreSQL, Frontend/Backend Protocol, Message Formats)."""

    def __init__(self, statements):
        self.statements, self.buffer, self.is_started, self.skipped = statements, b"", False, 0

    def feed(self, piece):
        skipped = min(self.skipped, len(piece))
        self.skipped -= skipped
        self.buffer += piece[skipped:]
        while not self.skipped:
            head = 5 if self.is_started else 4  # the first message has no type
            if len(self.buffer) < head + 200 and len(self.buffer) < self.whole(head):
                return
            kind, length = self.buffer[:head - 4], self.whole(head)
            if kind in (b"Q", b"P"):
                text = self.buffer[head:min(length, head + 200)]
                self.statements.append(text if kind == b"Q" else text.partition(b"\0")[2])
            self.is_started = True
            self.skipped = max(0, length - len(self.buffer))
            self.buffer = self.buffer[length:]

    def whole(self, head):
        """The length of the first message with its type; one byte more than there are if that is not there yet."""
        if len(self.buffer) < head:
            return len(self.buffer) + 1
        return head - 4 + int.from_bytes(self.buffer[head - 4:head], "big")


def read(source):
    try:
        return source.recv(1 << 18)
    except OSError:
        return b""


def write(target, piece):
    try:
        target.sendall(piece)
        return True
    except OSError:
        return False


def end(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
