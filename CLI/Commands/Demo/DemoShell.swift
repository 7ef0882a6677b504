// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Siding
import SidingChain

/// Runs `siding` commands of the demo in this process, and shows them as in a terminal.
struct DemoShell {
    let directory: String
    /// What stands before each command.
    var prompt = "$"

    var config: String { "\(directory)/siding.yaml" }

    /// Runs a command and prints it with its exit code.
    ///
    /// - Throws: ``CommandError`` if the exit code is not `expected`, or the exit code itself if a signal stopped the command.
    func siding(_ words: String..., expecting expected: ExitStatus = .success) async throws {
        let shown = words.map(Self.quoted).joined(separator: " ")
        Output.line("    \(prompt) siding \(shown)")
        Output.flush()
        let status = try await run(words + ["--config", config, "-v"])
        Output.line("    (exit \(status.rawValue))")
        if status.isStop { throw status }
        try check(
            status == expected, "'siding \(shown)' ended with \(status.rawValue), not \(expected.rawValue)")
    }

    func run(_ words: [String]) async throws -> ExitStatus {
        do {
            guard var command = try SidingCommand.parseAsRoot(words) as? any AsyncParsableCommand else {
                throw CommandError(.software, "demo", "'\(words.joined(separator: " "))' does nothing")
            }
            try await command.run()
            return .success
        } catch let ended as ExitStatus {
            return ended
        }
    }

    /// A word as a shell takes it.
    private static func quoted(_ word: String) -> String {
        if word.contains("\"") { return "'\(word)'" }
        return word.contains(" ") ? "\"\(word)\"" : word
    }

    func say(_ text: String) {
        Output.line("\n\(text)")
        Output.flush()
    }

    /// - Throws: ``CommandError`` if what the tour says is not so.
    func check(_ isSo: Bool, _ otherwise: @autoclosure () -> String) throws {
        if !isSo { throw CommandError(.software, "demo", otherwise()) }
    }

    func withStore<Value>(_ body: (Store) async throws -> Value) async throws -> Value {
        try await GlobalOptions.parse(["--config", config]).withStore { _, store in try await body(store) }
    }

    /// The open entries of the queue.
    func queue() async throws -> [QueueEntry] {
        try await withStore { try await $0.entries(QueueSelection()) }
    }

    /// Writes the config of the demo and shows it.
    ///
    /// - Parameter isServed: whether `siding serve` reads it, which syncs a resource when it is older than its `max_age`.
    func configure(_ url: HTTPURL, isServed: Bool = false) throws {
        let age = isServed ? ", max_age: 15s" : ""
        let text = """
            version: 1
            database: { path: demo.db }
            sources:
              weather: { base_url: \(url.origin), idempotency: {} }
            resources:
              stations: { path: /stations, key: id\(age) }
              readings: { path: /readings, key: id\(age), query: { limit: 250 }, history: true }
            writes:
              readings: { create: { path: /readings } }

            """
        try write(config: text)
        show(text)
    }

    func write(config text: String) throws {
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try text.write(toFile: config, atomically: true, encoding: .utf8)
    }

    /// Prints the lines of a file.
    func show(_ text: String) {
        Output.line(text.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n"))
    }
}
