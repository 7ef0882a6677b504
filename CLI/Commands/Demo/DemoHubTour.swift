// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingOrigin

/// The tour of `siding demo --hub`: two stations publish to a real PostgreSQL server. It ends with an error where a command or the
/// hub does not do what it says.
struct DemoHubTour {
    let shell: DemoShell
    let origin: DemoOrigin

    private var first: DemoShell { station("van-1") }
    private var second: DemoShell { station("van-2") }
    private var copy: DemoShell { station("van-1-copy") }

    /// The terminal of a station, in a directory of its own.
    private func station(_ name: String) -> DemoShell {
        DemoShell(directory: "\(shell.directory)/\(name)", prompt: "\(name) $")
    }

    func run() async throws {
        let programs = try PostgreSQLPrograms.folder()
        try makeDirectory()
        let hub = try DemoHub(in: shell.directory, programs: programs)
        try await hub.stopping {
            try await start(hub)
            try await publish(to: hub)
            try await crash(hub)
            try await restart(hub)
            try await refuseCopy()
        }
        shell.say(
            """
            The hub is stopped. Its files stay in \(hub.directory), those of the stations in \(shell.directory).
            The lines of step 1 with cd, export and pg_ctl start it again. Docs/Hub.md is what to read next.
            """)
    }

    private func makeDirectory() throws {
        for name in ["hub", "van-1", "van-2", "van-1-copy"] {
            let path = "\(shell.directory)/\(name)"
            guard !FileManager.default.fileExists(atPath: path) else {
                throw CommandError(.usage, "exists", "\(path) exists already", hint: "--directory names another place")
            }
        }
        try FileManager.default.createDirectory(
            atPath: shell.directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    private func start(_ hub: DemoHub) async throws {
        let user = hub.terminal.user.map { "\nPostgreSQL refuses to run as root, so '\($0.name)' runs these commands." }
        shell.say("1. The hub is a PostgreSQL server. Only its user can reach its Unix socket.\(user ?? "")")
        try await hub.create()
    }

    private func publish(to hub: DemoHub) async throws {
        let count = origin.data.readings.count
        shell.say(
            "2. An origin with \(count) readings listens on \(origin.line.url.origin).\n"
                + "Two stations copy it, each with its own config and file. The config of van-1:")
        try first.write(config: config(of: "van-1", hub))
        try second.write(config: config(of: "van-2", hub))
        shell.show(config(of: "van-1", hub))
        for station in [first, second] {
            shell.say(station.directory == first.directory ? "It syncs and publishes:" : "So does van-2:")
            try await station.siding("sync")
            try await station.siding("publish")
        }
        shell.say("3. The hub has the readings of both in one table:")
        let rows = try await hub.query(
            "SELECT siding_station, count(*) FROM siding.readings_live GROUP BY 1 ORDER BY 1")
        for name in ["van-1", "van-2"] {
            try shell.check(
                rows.contains(try Regex("\(name) +\\| +\(count)\\b")), "the hub has not \(count) readings of \(name)")
        }
    }

    private func config(of station: String, _ hub: DemoHub) -> String {
        """
        version: 1
        database: { path: station.db }
        sources:
          weather: { base_url: \(origin.line.url.origin) }
        resources:
          readings: { path: /readings, key: id, columns: { temperature_c: decimal } }
        publish:
          fleet: { to: "\(hub.address)", station: \(station) }

        """
    }

    private func crash(_ hub: DemoHub) async throws {
        shell.say("4. A technician copies the folder of van-1. Then the hub crashes:")
        try await DemoTerminal(prompt: "$", directory: shell.directory).run("cp -r van-1 van-1-copy")
        try await hub.crash()
        shell.say("The origin corrects a reading. The sync does not need the hub:")
        origin.correctReading()
        try await first.siding("sync")
        shell.say("The publication fails, and loses nothing; exit code 75 tells cron to try again later:")
        try await first.siding("publish", expecting: .queued)
        try await first.siding("publish", "--dry-run")
    }

    private func restart(_ hub: DemoHub) async throws {
        shell.say("5. The hub is back. The station sends what it lacks:")
        try await hub.start()
        try await first.siding("publish")
        shell.say("The hub has the correction of van-1. Since then, van-2 has not synced:")
        let rows = try await hub.query(
            "SELECT siding_station, temperature_c FROM siding.readings_live WHERE siding_key = '3000' ORDER BY 1")
        try shell.check(
            rows.contains(/van-1 +\| +18\.5\b/) && !rows.contains(/van-2 +\| +18\.5\b/),
            "the hub has not the correction of van-1 alone")
    }

    private func refuseCopy() async throws {
        shell.say("6. Somebody uses the copy of van-1. The hub refuses it, because van-1 itself has published since:")
        try await copy.siding("publish", expecting: .refused)
    }
}
