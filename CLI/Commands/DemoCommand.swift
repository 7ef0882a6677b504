import ArgumentParser
import Foundation

/// `siding demo`: the whole tour against an origin inside this process.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show the whole tour on loopback: sync, inspect, the line goes down, the line comes back.")

    @Option(help: ArgumentHelp("Where the demo's files go; a new directory by default.", valueName: "path"))
    var directory: String?

    func run() async throws {
        let path = try directory ?? Self.newDirectory()
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try await DemoTour(directory: path).run()
    }

    private static func newDirectory() throws -> String {
        let base = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        var template = Array("\(base)/siding-demo-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandError(
                .inputOutput, "input_output",
                "no directory could be made in \(base): \(String(cString: strerror(errno)))",
                hint: "--directory names another place")
        }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
