# SPDX-License-Identifier: Apache-2.0
"""Runs a command, and measures its time and its memory."""
import os
import re
import signal
import subprocess
import sys
import threading
import time


class Run:
    """Seconds of a command, and the peak of resident memory in MiB of its largest process, `own` without pages of files that it maps;
    `killed_after` kills it and all it started.

    The peak is the kernel's own (VmHWM), read until the end: what wait4(2) tells begins with the memory of the process that forked.
    """

    def __init__(self, command, killed_after=None, may_fail=False, **words):
        self.peak = self.own = 0
        start = time.monotonic()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True, **words)
        over = threading.Event()
        watch = threading.Thread(target=self.watch, args=(process.pid, over))
        watch.start()
        self.is_killed = False
        killer = threading.Timer(killed_after or 0, self.kill, [process.pid])
        if killed_after is not None:
            killer.start()
        self.out = process.communicate()[0]
        self.seconds = time.monotonic() - start
        killer.cancel()
        over.set()
        watch.join()
        self.has_failed = process.returncode != 0 and not self.is_killed
        if self.has_failed and not may_fail:
            sys.exit(f"{' '.join(command)} ended with {process.returncode}:\n{self.out}")

    def kill(self, group):
        try:
            os.killpg(group, signal.SIGKILL)
            self.is_killed = True
        except ProcessLookupError:
            pass

    def watch(self, pid, over):
        while not over.wait(0.02):
            self.look(pid)

    def look(self, pid):
        try:
            with open(f"/proc/{pid}/status") as file:
                sizes = dict(re.findall(r"(VmHWM|RssAnon):\s+(\d+)", file.read()))
            self.peak = max(self.peak, int(sizes.get("VmHWM", 0)) / 1024)
            self.own = max(self.own, int(sizes.get("RssAnon", 0)) / 1024)
            with open(f"/proc/{pid}/task/{pid}/children") as file:
                children = file.read().split()
        except OSError:
            return
        for child in children:
            self.look(child)
