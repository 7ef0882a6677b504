# SPDX-License-Identifier: Apache-2.0
"""A full comparison: all records are sent, and the hub's keys are read."""


def adopt(bench):
    station, _ = bench.published()
    server, figures, count = bench.server, bench.figures, bench.records
    station.target("hub", server.socket, "hub")
    server.settle()
    before = server.wal()
    taken = station.publish("hub", "--adopt")
    figures.head(f"siding publish --adopt: {count:,} records compared in full, nothing differs")
    figures.tell("time", taken.seconds, "s")
    figures.tell("records per second", count / taken.seconds, "/s", name="adopt")
    figures.tell("peak memory", taken.peak, "MiB", most=64)
    figures.tell("WAL per record", (server.wal() - before) / count, "bytes")
    living = server.number("SELECT count(*) FROM siding.items_live", "hub")
    figures.tell("living records in the hub", living, least=count)
