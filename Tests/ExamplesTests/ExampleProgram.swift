// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingTesting
import Subprocess
import SystemPackage

/// The built program of an example, run as a real child process in a directory of its test.
struct ExampleProgram: Sendable {
    /// The product's name, such as `GatewayExample`.
    let name: String

    /// What a child left behind.
    struct Outcome: Sendable {
        /// The exit code; 128 and the signal's number where a signal ended it.
        let status: Int32
        let output: String
        let error: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// Runs the program to its end; it is killed where the test's time is over.
    ///
    /// - Parameters:
    ///   - environment: all that the child sees beside `HOME`.
    ///   - namespace: where its network is; nil for the test's own.
    ///   - body: runs beside the child, and is given it.
    func run(
        _ arguments: String..., in directory: TemporaryDirectory, environment: [String: String] = [:],
        inside namespace: NetworkNamespace? = nil,
        beside body: @escaping @Sendable (Child) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        let all = environment.merging(["HOME": directory.path]) { own, _ in own }
        var command = [try path()] + arguments
        if let namespace {
            command = [NetworkNamespace.program ?? "ip", "netns", "exec", namespace.name] + command
        }
        let result = try await Subprocess.run(
            .path(FilePath(command[0])), arguments: Arguments(Array(command.dropFirst())),
            environment: .custom(
                Dictionary(uniqueKeysWithValues: all.map { (Environment.Key(stringLiteral: $0.key), $0.value) })),
            workingDirectory: FilePath(directory.path), input: .none, output: .bytes(limit: 1 << 20),
            error: .bytes(limit: 1 << 20)
        ) { execution in
            try await body(Child(processID: execution.processIdentifier.value))
        }
        let status: Int32 =
            switch result.terminationStatus {
            case .exited(let code): code
            case .signaled(let signal): 128 + signal
            }
        return Outcome(
            status: status, output: String(decoding: result.standardOutput, as: UTF8.self),
            error: String(decoding: result.standardError, as: UTF8.self))
    }

    /// Where this build put it: beside the test bundle.
    private func path() throws -> String {
        var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        while folder.path != "/" {
            for candidate in [name, ".build/debug/\(name)"] {
                let file = folder.appending(path: candidate)
                var isDirectory: ObjCBool = false
                if FileManager.default.fileExists(atPath: file.path, isDirectory: &isDirectory), !isDirectory.boolValue,
                    FileManager.default.isExecutableFile(atPath: file.path)
                {
                    return file.path
                }
            }
            folder.deleteLastPathComponent()
        }
        throw NotBuilt(name: name)
    }

    private struct NotBuilt: Error {
        let name: String
    }
}

/// A running child.
struct Child: Sendable {
    let processID: Int32

    func send(_ signal: Int32) { _ = kill(processID, signal) }

    /// Returns once the child has a handler of its own for `signal`, by the mask `SigCgt` of proc_pid_status(5), or is over.
    func handles(_ signal: Int32) async throws {
        while let mask = caughtSignals(), mask & 1 << UInt64(signal - 1) == 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    private func caughtSignals() -> UInt64? {
        guard let status = try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8) else { return nil }
        return status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }.flatMap {
            UInt64($0.dropFirst(7).trimmingPrefix { $0 == "\t" || $0 == " " }, radix: 16)
        }
    }
}

/// Holds whoever comes until so many different ones are there.
actor Gathering {
    private let size: Int
    private var members: Set<String> = []
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(of size: Int) {
        self.size = size
    }

    func join(_ member: String) async {
        members.insert(member)
        guard members.count < size else {
            for continuation in waiting { continuation.resume() }
            waiting = []
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }
}
