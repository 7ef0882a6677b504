import Foundation
import Testing

/// A page of the documentation whose commands run: the fenced blocks in `sh`, and the configs in `yaml`.
struct RunnableDocument {
    struct Block {
        var language: String
        var text: String
    }

    let blocks: [Block]

    /// - Parameter path: below the repository, such as `Docs/Operating.md`.
    init(_ path: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
        blocks = text.matches(of: /(?ms)^```([a-z]+)\n(.*?)^```$/).map {
            Block(language: String($0.1), text: String($0.2))
        }
    }

    /// Runs all blocks in their order in `sandbox`: a config is written to `siding.yaml`, commands run in bash, and each has to end
    /// with 0.
    ///
    /// - Parameter change: what differs here from the page, such as the origin's address.
    /// - Returns: what each block of commands printed.
    @discardableResult
    func run(in sandbox: Sandbox, _ change: (String) -> String) async throws -> [Outcome] {
        let programs = sandbox.file("programs")
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: "\(programs)/siding", withDestinationPath: SidingBinary.path())
        var outcomes: [Outcome] = []
        for block in blocks {
            switch block.language {
            case "yaml": try sandbox.write(change(block.text), to: "siding.yaml")
            case "sh":
                let outcome = try await sandbox.run(
                    "/bin/bash", ["-eu", "-c", change(block.text)], environment: ["PATH": "\(programs):/usr/bin:/bin"])
                #expect(outcome.status == 0, "\(block.text)\n\(outcome.everything)")
                outcomes.append(outcome)
            default: break
            }
        }
        return outcomes
    }
}
