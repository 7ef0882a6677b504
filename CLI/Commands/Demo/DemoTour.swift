import ArgumentParser
import Foundation
import Siding
import SidingChain
import SidingOrigin

/// The tour of `siding demo`: real commands, socket and file; only the origin is simulated.
struct DemoTour {
    let directory: String

    private var config: String { "\(directory)/siding.yaml" }

    func run() async throws {
        let data = DemoData()
        let origin = try await Origin.start(routes: data.routes)
        let relay = try await Relay.start(to: origin.url)
        try configText(relay.url).write(toFile: config, atomically: true, encoding: .utf8)

        say(
            "An origin with \(data.stations.count) stations and \(data.readings.count) readings listens on \(relay.url.origin)."
        )
        say("The config \(config) names both in a few lines:")
        Output.line(indented(configText(relay.url)))

        say("1. The first sync fetches every page and saves it:")
        try await siding("sync", expecting: .success)
        say("2. Each resource is a view, nested values and all:")
        try await siding(
            "query", "SELECT id, name, active, position ->> '$.lat' AS lat FROM stations ORDER BY id LIMIT 4",
            expecting: .success)
        say("3. Nothing changed, so the second sync only asks whether it did (304) and writes no record:")
        try await siding("sync", expecting: .success)
        try await loseConnection(relay, data)
        try await restoreConnection(relay, origin)

        say("6. Every run is on record:")
        try await siding("runs", "list", expecting: .success)
        try await siding("db", "check", expecting: .success)
        await relay.stop()
        await origin.stop()
        say("The files stay in \(directory): look at them with 'siding status --config \(config)' or sqlite3.")
    }

    private func loseConnection(_ relay: Relay, _ data: DemoData) async throws {
        data.readings.put(Dataset.Record(key: "3001", json: #"{"id":3001,"station_id":7,"temperature_c":21.5}"#))
        await relay.follow([
            LineStage(.up(), for: .bytes(1_000)), LineStage(.down(.cut), for: .time(.seconds(86_400))),
        ])
        say("4. A reading is added at the origin, and the connection is lost in the middle of the listing:")
        try await siding("sync", "readings", expecting: .queued)
        say("The page that failed waits in the queue; exit code 75 tells cron to try again later:")
        try await siding("queue", "list", expecting: .success)
        if let entry = try await waiting() {
            try await siding("queue", "show", entry.shortID, expecting: .success)
        }
    }

    private func restoreConnection(_ relay: Relay, _ origin: Origin) async throws {
        let queued = try await waiting()
        origin.forgetRequests()
        await relay.set(.up())
        say("5. The connection is back. The next sync fetches that page first:")
        try await siding("sync", "readings", expecting: .success)
        let first = origin.requests.first?.target ?? "nothing"
        say("The origin's log begins with GET \(first).")
        guard let queued, queued.url.hasSuffix(first) else {
            throw CommandError(
                .software, "demo", "the sync went on with \(first) instead of \(queued?.url ?? "the queued page")")
        }
    }

    /// The first entry in the queue, if there is one.
    private func waiting() async throws -> QueueEntry? {
        try await GlobalOptions.parse(["--config", config]).withStore { _, store in
            try await store.entries(QueueSelection()).first
        }
    }

    /// Runs a `siding` command in this process and prints it with its exit code.
    ///
    /// - Throws: ``CommandError`` if the exit code is not `expected`.
    private func siding(_ words: String..., expecting expected: ExitStatus) async throws {
        let shown = words.map { $0.contains(" ") ? "\"\($0)\"" : $0 }.joined(separator: " ")
        Output.line("    $ siding \(shown)")
        Output.flush()
        var status = ExitStatus.success
        do {
            let command = try SidingCommand.parseAsRoot(words + ["--config", config, "-v"])
            guard var command = command as? any AsyncParsableCommand else { return }
            try await command.run()
        } catch let ended as ExitStatus {
            status = ended
        }
        Output.line("    (exit \(status.rawValue))")
        guard status == expected else {
            throw CommandError(
                .software, "demo", "'siding \(shown)' ended with \(status.rawValue), not \(expected.rawValue)")
        }
    }

    private func say(_ text: String) {
        Output.line("\n\(text)")
        Output.flush()
    }

    private func indented(_ text: String) -> String {
        text.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
    }

    private func configText(_ url: HTTPURL) -> String {
        """
        version: 1
        database: { path: demo.db }
        sources:
          weather: { base_url: \(url.origin) }
        resources:
          stations: { path: /stations, key: id }
          readings: { path: /readings, key: id, query: { limit: 250 } }

        """
    }
}
