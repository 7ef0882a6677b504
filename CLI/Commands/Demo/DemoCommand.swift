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

    @Flag(help: "Start no tour, but the origin and 'siding serve' to play with, until they are interrupted.")
    var serve = false

    @Option(help: ArgumentHelp("Where the page of --serve listens.", valueName: "address"))
    var listen = "127.0.0.1:8787"

    @Option(help: "The seed of the failures of --relay: the same seed gives the same.")
    var seed: UInt64 = 1

    func validate() throws {
        if serve, relay != nil { throw ValidationError("--serve and --relay exclude each other.") }
    }

    func run() async throws {
        if let relay { return try await DemoRelay(origin: relay, seed: seed).run() }
        let path = try directory ?? TemporaryDirectory.make("demo", hint: "--directory names another place")
        let shell = DemoShell(directory: path)
        let origin = try await DemoOrigin.start()
        if serve {
            try await DemoService(shell: shell, origin: origin, listen: listen).run()
        } else {
            try await DemoTour(shell: shell, origin: origin).run()
            shell.say(
                "The files stay in \(path): look at them with 'siding status --config \(shell.config)' or sqlite3.")
        }
        await origin.stop()
    }
}
