// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// A page of the documentation whose commands run, each block in its place:
///
/// - A config in `yaml` is written to `siding.yaml`.
/// - A script in `sh` has to end with 0.
/// - Each command of a `console` block, behind `$ `, runs in a terminal. It has to print what the page shows, and to end with 0 or the
///   `exit` in its comment.
/// - `siding serve` and `siding demo --serve` in such a block run until the page ends, and are then interrupted. `PID` is the
///   newest one's process.
struct RunnableDocument {
    /// What differs here from the page, such as the origin's address. Applied in this order.
    typealias Changes = [(page: String, here: String)]

    enum Step {
        case config(String)
        case script(String)
        case example(command: String, shown: String)
    }

    let steps: [Step]

    /// - Parameters:
    ///   - path: below the repository, such as `Docs/Operating.md`.
    ///   - heading: of the section to run, such as `## Space`; nil for the whole page.
    ///   - excluded: the heading of a section to leave out, because another test runs it.
    init(_ path: String, section heading: String? = nil, without excluded: String? = nil) throws {
        // A heading stands behind the end of a line, that of the page too.
        var text = "\n" + (try DocumentPages.text(path))
        if let heading { text = String(text[try Self.section(heading, of: text)]) }
        if let excluded { text.removeSubrange(try Self.section(excluded, of: text)) }
        steps = text.matches(of: /(?ms)^```(yaml|sh|console)\n(.*?)^```$/).flatMap { block -> [Step] in
            switch block.1 {
            case "yaml": [.config(String(block.2))]
            case "sh": [.script(String(block.2))]
            default: Self.examples(block.2)
            }
        }
    }

    /// From below a heading of the second level to before the next one.
    private static func section(_ heading: String, of text: String) throws -> Range<String.Index> {
        let start = try #require(text.range(of: "\n\(heading)\n"), "\(heading)").upperBound
        let end = text.range(of: "\n## ", range: start..<text.endIndex)?.lowerBound ?? text.endIndex
        return start..<end
    }

    private static func examples(_ block: Substring) -> [Step] {
        block.matches(of: /(?m)^\$ ([^\n]*)\n((?:(?!\$ )[^\n]*\n)*)/).map {
            .example(command: String($0.1), shown: String($0.2))
        }
    }

    /// The commands of all blocks, as the page has them.
    var commands: [String] {
        steps.compactMap { step in
            switch step {
            case .config: nil
            case .script(let text): text
            case .example(let command, _): command
            }
        }
    }

    /// Runs all steps in their order in `sandbox`.
    func run(in sandbox: Sandbox, _ changes: Changes) async throws {
        let programs = sandbox.file("programs")
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
        if !FileManager.default.fileExists(atPath: "\(programs)/siding") {
            try FileManager.default.createSymbolicLink(
                atPath: "\(programs)/siding", withDestinationPath: SidingBinary.path())
        }
        let environment = [
            "PATH": "\(programs):/usr/bin:/bin", "SHELL": "/bin/bash", "TERM": "xterm", "NO_COLOR": "1",
        ]
        try await run(steps[...], in: sandbox, environment, changes)
    }

    private func run(
        _ steps: ArraySlice<Step>, in sandbox: Sandbox, _ environment: [String: String], _ changes: Changes
    ) async throws {
        var changes = changes
        for (index, step) in zip(steps.indices, steps) {
            switch step {
            case .config(let text):
                try sandbox.write(Self.change(text, changes), to: "siding.yaml")
            case .script(let text):
                let script = Self.change(text, changes)
                let outcome = try await sandbox.run("/bin/bash", ["-eu", "-c", script], environment: environment)
                #expect(outcome.status == 0, "\(script)\n\(outcome.everything)")
            case .example(let page, let shown) where page.contains(/^siding (serve|demo --serve)\b/):
                let (command, now) = (Self.change(page, changes), changes)
                let outcome = try await Self.serve(command, in: sandbox, environment) { process in
                    let rest = steps[(index + 1)...]
                    try await run(rest, in: sandbox, environment, now + [("PID", String(process))])
                }
                #expect(outcome.status == 0, "\(command)\n\(outcome.everything)")
                _ = try Self.compare(shown, outcome.everything, changes, command)
                return
            case .example(let page, let shown):
                let command = Self.change(page, changes)
                let outcome = try await sandbox.run(
                    "/usr/bin/script", ["-qec", command, "/dev/null"], environment: environment)
                let status = page.firstMatch(of: /# .*\bexit (\d+)/).flatMap { Int32($0.1) } ?? 0
                #expect(outcome.status == status, "\(command)\n\(outcome.everything)")
                changes += try Self.compare(shown, Self.seen(outcome.output), changes, command)
            }
        }
    }

    /// Runs `body` with the number of the process once the service is ready, and interrupts the service then.
    private static func serve(
        _ command: String, in sandbox: Sandbox, _ environment: [String: String],
        _ body: @escaping @Sendable (Int32) async throws -> Void
    ) async throws -> Outcome {
        let manager = try ServiceManager(sandbox.file("notify-\(UUID().uuidString.prefix(8))"))
        defer { manager.stop() }
        let all = environment.merging(["NOTIFY_SOCKET": manager.address]) { $1 }
        return try await sandbox.run("/bin/bash", ["-c", "exec \(command)"], environment: all) { child in
            do {
                try await manager.hears("READY=1")
                try await body(child.processID)
                child.send(SIGINT)
            } catch {
                child.send(SIGKILL)
                throw error
            }
        }
    }

    private static func change(_ text: String, _ changes: Changes) -> String {
        changes.reduce(text) { $0.replacing($1.page, with: $1.here) }
    }

    /// - Returns: the ids that stand here for those of the page.
    private static func compare(
        _ shown: String, _ printed: String, _ changes: Changes, _ command: String
    ) throws -> Changes {
        let wanted = change(shown, changes)
        let ids = try ShownOutput(text: wanted).ids(in: printed)
        #expect(ids != nil, "$ \(command)\nthe page shows:\n\(wanted)\nit printed:\n\(printed)")
        return ids ?? []
    }

    /// What stays on the screen of a terminal: a line of progress is replaced by the next.
    private static func seen(_ output: String) -> String {
        output.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.range(of: "\u{1B}[2K", options: .backwards).map { line[$0.upperBound...] } ?? line
        }.joined(separator: "\n")
    }
}
