// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingTesting
import Testing

extension TemporaryDirectory {
    func makeDirectory(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: path(of: name), withIntermediateDirectories: false)
    }

    func makeExecutable(_ name: String) { chmod(path(of: name), 0o700) }

    func makePipe(_ name: String) throws { mkfifo(path(of: name), 0o600) }

    func makeLink(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path(of: name), withDestinationPath: target)
    }

    /// The process whose number a program wrote into the file `name`.
    func process(_ name: String) throws -> pid_t {
        let text = try String(contentsOf: URL(filePath: path(of: name)), encoding: .utf8)
        return try #require(pid_t(text.dropLast()))
    }

    /// Whether a process that was killed is gone; the kernel takes a moment, for which nothing can be awaited.
    static func becomesGone(_ process: pid_t) async throws -> Bool {
        for _ in 0..<500 where !isGone(process) { try await Task.sleep(for: .milliseconds(10)) }
        return isGone(process)
    }

    static func end(_ process: pid_t) { kill(process, SIGKILL) }

    /// Whether a process has ended: there is none of that number, or only what is left for its parent to collect.
    static func isGone(_ process: pid_t) -> Bool {
        guard kill(process, 0) == 0 else { return true }
        let status = (try? String(contentsOf: URL(filePath: "/proc/\(process)/stat"), encoding: .utf8)) ?? ""
        return status.split(separator: ")").last?.hasPrefix(" Z") == true
    }
}
