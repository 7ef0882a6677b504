// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// The files of the repository that `make install` and `make deb` work with.
enum PackagedFiles {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The folder of the build whose executable the tests run.
    static func build() throws -> String { URL(filePath: try SidingBinary.path()).deletingLastPathComponent().path }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The systemd units, by name.
    static func units() throws -> [String: String] {
        let folder = root.appending(path: "Examples/Systemd")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try Dictionary(uniqueKeysWithValues: names.map { ($0, try text("Examples/Systemd/\($0)")) })
    }

    /// Runs a script of `.ci` to its end.
    static func script(_ name: String, _ arguments: String..., in sandbox: Sandbox) async throws -> Outcome {
        let outcome = try await sandbox.run(
            root.appending(path: ".ci/\(name)").path, arguments,
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"])
        try #require(outcome.status == 0, "\(name): \(outcome.error)")
        return outcome
    }
}
