import ArgumentParser
import Foundation

/// `siding demo`: runs a tour of Siding against an origin inside this process.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show a tour on loopback: sync, query, a lost connection, the recovery.")

    @Option(help: ArgumentHelp("The directory of the demo's files; a new one by default.", valueName: "path"))
    var directory: String?

    @Option(
        help: ArgumentHelp(
            "Start no tour, but a line that fails at random to this origin, until it is interrupted.", valueName: "url")
    )
    var relay: String?

    @Option(help: "The seed of the failures of --relay: the same seed gives the same.")
    var seed: UInt64 = 1

    func run() async throws {
        if let relay { return try await DemoRelay(origin: relay, seed: seed).run() }
        let path = try directory ?? TemporaryDirectory.make("demo", hint: "--directory names another place")
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try await DemoTour(directory: path).run()
    }
}
