// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingOrigin

/// The tour of `siding demo`: real commands, sockets and files; only the origin and its line are simulated. It ends with an error
/// where a command, the store or the origin does not do what it says.
struct DemoTour {
    let shell: DemoShell
    let origin: DemoOrigin

    func run() async throws {
        let (stations, readings) = (origin.data.stations.count, origin.data.readings.count)
        shell.say(
            "An origin with \(stations) stations and \(readings) readings listens on \(origin.line.url.origin).")
        shell.say("The config \(shell.config) names both in a few lines:")
        try shell.configure(origin.line.url)
        try await copy()
        try await inspect()
        try await change()
        try await loseConnection()
        try await write()
        try await restoreConnection()
        try await account()
    }

    private func copy() async throws {
        shell.say("1. The first sync fetches every page and saves it:")
        try await shell.siding("sync")
        for (name, data) in [("stations", origin.data.stations), ("readings", origin.data.readings)] {
            let keys = Set(try await records(of: name).map(\.key))
            try shell.check(
                data.records.allSatisfy { keys.contains($0.key) }, "\(name): not all records of the origin are stored")
        }
    }

    private func inspect() async throws {
        shell.say("2. Each resource is a view, nested values and all; words are found in its texts:")
        try await shell.siding(
            "query", "SELECT id, name, active, position ->> '$.lat' AS lat FROM stations ORDER BY id LIMIT 4")
        try await shell.siding("search", "stations", "harbour", "--limit", "3")
    }

    private func change() async throws {
        shell.say("3. The origin corrects a reading. The next sync asks for each page whether it changed (304 if not):")
        origin.correctReading()
        try await shell.siding("sync")
        shell.say("The record keeps its past, and knows where it came from:")
        try await shell.siding("records", "history", "readings", "3000")
        try await shell.siding("records", "why", "readings", "3000")
        let history = try await shell.withStore { try await $0.history(of: "readings", key: "3000", limit: nil) }
        try shell.check((history?.versions.count ?? 0) > 1, "reading 3000 has no earlier version")
    }

    private func loseConnection() async throws {
        origin.addReading()
        await origin.cutSoon()
        shell.say("4. A reading is added at the origin, and the connection is lost in the middle of the listing:")
        try await shell.siding("sync", "readings", expecting: .queued)
        shell.say("The page that failed waits in the queue; exit code 75 tells cron to try again later:")
        let page = try await shell.queue().first { $0.kind == .fetch }
        try shell.check(page != nil, "no page waits in the queue")
        if let page { try await shell.siding("queue", "show", page.shortID) }
    }

    private func write() async throws {
        shell.say("5. The line is still down. A reading of your own is stored, and shows among the records at once:")
        try await shell.siding(
            "send", "readings.create", "-d", #"{"station_id":7,"temperature_c":19.5}"#, expecting: .queued)
        try await newestReadings()
        try shell.check(
            try await records(of: "readings").contains { TemporaryID.matches($0.key) },
            "the reading is not among the records")
        shell.say("Both wait for the connection:")
        try await shell.siding("queue", "list")
        try shell.check(try await shell.queue().count == 2, "the queue has not two entries")
    }

    private func restoreConnection() async throws {
        let page = try await shell.queue().first { $0.kind == .fetch }
        await origin.restore()
        shell.say("6. The connection is back. The write is delivered, and the listing continues at the failed page:")
        try await shell.siding("queue", "run")
        try shell.check(try await shell.queue().isEmpty, "the queue is not empty")
        try await newestReadings()

        let first = origin.origin.requests.first { $0.method == "GET" }?.target ?? "nothing"
        try shell.check(
            page?.url.hasSuffix(first) == true, "the listing continued with \(first), not \(page?.url ?? "its page")")
        let posts = origin.origin.requests.filter { $0.method == "POST" }
        let count = origin.received.count
        try shell.check(posts.count == 2, "the origin got \(posts.count) POSTs, not 2")
        try shell.check(count == 1, "the origin has \(count) new readings, not 1")
        shell.say(
            "The listing continued with GET \(first).\nThe answer to the first POST was lost, so it was sent again "
                + "with the same Idempotency-Key: the origin got it twice, and has one new reading.")
    }

    private func account() async throws {
        shell.say("7. Every run is on record, and all is well:")
        try await shell.siding("runs", "list")
        try await shell.siding("status")
        try await shell.siding("db", "check")
    }

    private func newestReadings() async throws {
        try await shell.siding(
            "query", "SELECT id, station_id, temperature_c FROM readings WHERE station_id = 7 ORDER BY id DESC LIMIT 3")
    }

    private func records(of resource: String) async throws -> [Record] {
        try await shell.withStore { try await $0.records(of: resource, after: nil, limit: .max, deleted: false) }
    }
}
