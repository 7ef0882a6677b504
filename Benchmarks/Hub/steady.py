# SPDX-License-Identifier: Apache-2.0
"""What a publication costs with little to do and with nothing, and an idle service."""
import os
import signal
import statistics
import subprocess
import time

from relay import Relay

IDLE_SECONDS, EVERY_SECONDS = 70, 5


def steady(bench):
    station, origin = bench.published()
    server, figures = bench.server, bench.figures
    relay = Relay(f"{bench.work}/relay", server.socket)
    station.target("hub", relay.socket, "hub")
    server.value("VACUUM ANALYZE", "hub")  # so that no autovacuum writes meanwhile
    nothing = unchanged(station, server, relay, figures)
    all_changed = 0
    for share in (1000, 100):
        changed = origin.change(share)
        all_changed += changed
        station.sync()
        server.settle()
        relay.reset()
        before = server.wal()
        taken = station.publish("hub")
        wal = server.wal() - before
        figures.head(f"{100 / share:g} % of {bench.records:,} records changed: {changed:,}")
        found = server.number("SELECT count(*) FROM siding.items WHERE serial >= 2000000000", "hub")
        figures.tell("changed records that the hub has, with those before", found, least=all_changed)
        figures.tell("siding publish", taken.seconds, "s")
        figures.tell("the same per record, without what a publication of none takes",
                     1e6 * max(0, taken.seconds - nothing) / changed, "µs")
        figures.tell("bytes sent per changed record", relay.sent / changed, "bytes", most=1_000 if changed >= 100 else None)
        figures.tell("WAL per changed record (whole pages, after a checkpoint)", wal / changed, "bytes")
        figures.tell("round trips", relay.round_trips)
        figures.found |= {"update": changed / taken.seconds, "update_wal": wal / changed}
    idle(station, server, relay, figures)


def unchanged(station, server, relay, figures):
    """The median time of five."""
    figures.head("nothing changed")
    seconds, wal = [], []
    for _ in range(5):
        server.settle()
        relay.reset()
        rows, before = server.rows_written("hub"), server.wal()
        taken = station.publish("hub")
        seconds.append(taken.seconds)
        wal.append(server.wal() - before)
        rows = server.rows_written("hub") - rows
    figures.tell("siding publish, median of 5", statistics.median(seconds), "s")
    figures.tell("peak memory", taken.peak, "MiB", most=64)
    figures.tell("rows written in the hub", rows, most=0)
    figures.tell("statements that write", len(relay.writes), most=0)
    figures.tell("WAL", min(wal), "bytes", most=0)  # the server's own records come in between now and then
    figures.tell("statements", len(relay.statements))
    figures.tell("round trips, those of the connection included", relay.round_trips)
    return statistics.median(seconds)


def idle(station, server, relay, figures):
    looks = IDLE_SECONDS // EVERY_SECONDS
    figures.head(f"siding serve for {IDLE_SECONDS} s, with 'every: {EVERY_SECONDS}s': {looks} looks, nothing changed")
    server.settle()
    relay.reset()
    rows = server.rows_written("hub")
    process = subprocess.Popen(
        [station.siding, "serve", "--quiet", "--listen", f"unix:{station.folder}/page.sock"], cwd=station.folder)
    time.sleep(IDLE_SECONDS)
    process.send_signal(signal.SIGTERM)
    if process.wait(timeout=15):
        raise SystemExit(f"siding serve ended with {process.returncode}")
    os.sync()
    figures.tell("connections", relay.connections)
    figures.tell("statements", len(relay.statements))
    figures.tell("round trips per look, those of the connection included", relay.round_trips / looks, most=1)
    figures.tell("statements that write", len(relay.writes), most=0)
    figures.tell("rows written in the hub", server.rows_written("hub") - rows, most=0)
    figures.tell("bytes in both directions", relay.sent + relay.answered, "bytes")
