import ArgumentParser
import Foundation

/// `siding demo`: runs a tour of Siding against an origin inside this process.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show the whole tour on loopback: sync, inspect, the line goes down, the line comes back.")

    @Option(help: ArgumentHelp("Where the demo's files go; a new directory by default.", valueName: "path"))
    var directory: String?

    func run() async throws {
        let path = try directory ?? TemporaryDirectory.make("demo", hint: "--directory names another place")
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try await DemoTour(directory: path).run()
    }
}
