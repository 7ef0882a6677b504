#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""measure.py WORK PORT SIDING RECORDS ROUNDS: runs the jobs in turn, ROUNDS times over, and prints medians and ratios."""
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time

work, port, siding, records, rounds = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
origin = f"http://127.0.0.1:{port}"


def config(size, conditional="auto"):
    folder = f"{work}/siding-{size}-{conditional}"
    os.makedirs(folder, mode=0o700, exist_ok=True)
    with open(f"{folder}/siding.yaml", "w") as file:
        file.write(
            f"version: 1\ndatabase: {{ path: bench.db }}\nsources: {{ corpus: {{ base_url: {origin} }} }}\n"
            f"resources: {{ items: {{ path: /p{size}/1.json, key: id, records: '$.items[*]', conditional: {conditional} }} }}\n"
        )
    return folder


def run(command):
    """Wall and CPU seconds and peak memory of one command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run(["/usr/bin/env", "time", "-f", "peak_kb %M", *command] if shutil.which("time") else command,
                          capture_output=True, text=True)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    peak = re.search(r"peak_kb (\d+)", done.stderr)
    return {
        "wall": wall,
        "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "memory": int(peak.group(1)) / 1024 if peak else float("nan"),
        "out": done.stdout,
    }


def limit(size, keep):
    pages = (records + size - 1) // size
    return [f"{work}/e2e", "prefetch", origin, f"/p{size}/%d.json", str(pages), "0", f"{work}/limit-{size}.db",
            "sync=2", f"keep={keep}"]


def fresh(folder):
    shutil.rmtree(f"{folder}/bench.db.owners", ignore_errors=True)
    for name in os.listdir(folder):
        if name.startswith("bench.db"):
            os.unlink(f"{folder}/{name}")


def sync(folder):
    return [siding, "sync", "--quiet", "--config", f"{folder}/siding.yaml"]


results = {}
full, small, blind = config(1000), config(100), config(1000, "off")
for _ in range(rounds):
    for folder in (full, small, blind):
        fresh(folder)
    jobs = [
        ("full, C", limit(1000, 0)), ("full, siding", sync(full)), ("all 304, siding", sync(full)),
        ("pages of 100, C", limit(100, 0)), ("pages of 100, siding", sync(small)),
        ("all 304, pages of 100, siding", sync(small)),
        ("first without ETags, siding", sync(blind)),
        ("unchanged without ETags, C", limit(1000, 1)), ("unchanged without ETags, siding", sync(blind)),
    ]
    for name, command in jobs:
        results.setdefault(name, []).append(run(command))

print(f"{records} records, median of {rounds}")
median = {name: {key: statistics.median(one[key] for one in runs) for key in ("wall", "cpu", "memory")}
          for name, runs in results.items()}
for name, row in median.items():
    print(f"  {name:32} {row['wall']:7.2f} s wall {row['cpu']:7.2f} s CPU {records / row['wall']:10,.0f} records/s"
          f" {row['memory']:6.0f} MB")


def ratio(text, numerator, denominator, key):
    print(f"  {text:60} {median[numerator][key] / median[denominator][key]:.2f}")


print("ratios (higher is better, but for the 304 rows)")
ratio("full sync, records/s against C", "full, C", "full, siding", "wall")
ratio("full sync, pages of 100, records/s against C", "pages of 100, C", "pages of 100, siding", "wall")
ratio("unchanged without ETags, records/s against C", "unchanged without ETags, C", "unchanged without ETags, siding", "wall")
for size, first, again in [(1000, "full, siding", "all 304, siding"),
                           (100, "pages of 100, siding", "all 304, pages of 100, siding")]:
    pages = -(-records // size)
    ratio(f"all 304, {pages} pages of {size}, CPU against the first sync", again, first, "cpu")


def fastest(arguments, count=20):
    best = float("inf")
    for _ in range(count):
        start = time.perf_counter()
        subprocess.run([siding, *arguments], capture_output=True, check=True)
        best = min(best, time.perf_counter() - start)
    return best * 1000


with_config = ["--config", f"{full}/siding.yaml"]
print("start-up, minimum of 20, milliseconds")
for name, arguments in [("--help", ["--help"]), ("queue list", ["queue", "list", *with_config]),
                        ("records get", ["records", "get", "items", "cus_00000042", *with_config])]:
    print(f"  {name:32} {fastest(arguments):7.1f}")
