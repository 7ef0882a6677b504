// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation

/// `siding demo`: runs a tour of Siding against an origin inside this process.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show a tour on loopback: sync, search, a lost connection, own writes, the recovery.")

    @Option(help: ArgumentHelp("The directory of the demo's files; a new one by default.", valueName: "path"))
    var directory: String?

    @Option(
        help: ArgumentHelp(
            "Start no tour, but a line that fails at random to this origin, until it is interrupted.", valueName: "url")
    )
    var relay: String?

    @Flag(help: "Show how two stations publish to a hub: a PostgreSQL server that the tour starts and stops.")
    var hub = false

    @Flag(help: "Start no tour, but the origin and 'siding serve' to play with, until they are interrupted.")
    var serve = false

    @Option(help: ArgumentHelp("Where the page of --serve listens.", valueName: "address"))
    var listen = "127.0.0.1:8787"

    @Option(help: "The port of the origin of --serve; 0 chooses a free one.")
    var port = 8788

    @Option(help: "The seed of the failures of --relay: the same seed gives the same.")
    var seed: UInt64 = 1

    func validate() throws {
        if [hub, serve, relay != nil].count(where: { $0 }) > 1 {
            throw ValidationError("--hub, --serve and --relay exclude each other.")
        }
        if !(0...65_535).contains(port) { throw ValidationError("--port is a number from 0 to 65535.") }
    }

    func run() async throws {
        if let relay { return try await DemoRelay(origin: relay, seed: seed).run() }
        let path = try directory ?? TemporaryDirectory.make("demo", hint: "--directory names another place")
        do { try await show(DemoShell(directory: Self.absolute(path))) } catch {
            // Nobody knows its name, and nothing in it was finished.
            if directory == nil { try? FileManager.default.removeItem(atPath: path) }
            throw error
        }
    }

    private func show(_ shell: DemoShell) async throws {
        let origin = try await DemoOrigin.start(port: serve ? port : 0)
        if serve {
            try await DemoService(shell: shell, origin: origin, listen: listen).run()
        } else {
            // Between two commands a signal ends the tour, too.
            let tour = try await Signals.stopping { () async -> Result<Void, any Error> in
                do {
                    if hub { return .success(try await DemoHubTour(shell: shell, origin: origin).run()) }
                    return .success(try await DemoTour(shell: shell, origin: origin).run())
                } catch {
                    return .failure(error)
                }
            }
            if let stopped = tour.stopped { throw stopped }
            try tour.value.get()
            if !hub {
                shell.say(
                    "The files stay in \(shell.directory): look at them with 'siding status --config \(shell.config)' or sqlite3."
                )
            }
        }
        await origin.stop()
    }

    /// `path` as a terminal in another directory can use it.
    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }
}
