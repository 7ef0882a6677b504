// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingTesting
import Subprocess
import SidingSynchronization
import SystemPackage
import Testing

/// A directory of its own in which the built `siding` runs as a real child process.
///
/// The children's environment is what stands here and nothing else: no `SIDING_CONFIG` and no `HOME` of the person who
/// runs the tests can reach them.
final class Sandbox: Sendable {
    let directory: TemporaryDirectory
    var path: String { directory.path }
    /// The path of `name` in here.
    func file(_ name: String) -> String { directory.path(of: name) }
    /// Where a config without `database.path` puts the database.
    var database: String { directory.path(of: ".local/state/siding/siding.db") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Writes `text` as the `siding.yaml` that commands find, for its owner alone.
    func config(_ text: String) throws { try write(text, to: "siding.yaml") }

    func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

    func write(_ bytes: [UInt8], to name: String) throws {
        let path = directory.path(of: name)
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try Data(bytes).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    /// Runs `siding` with `arguments` to its end.
    func siding(
        _ arguments: String..., environment: [String: String] = [:], input: String = ""
    ) async throws -> Outcome {
        try await siding(arguments, environment: environment, input: input)
    }

    /// Runs `siding` to its end, and `body` beside it.
    ///
    /// - Parameters:
    ///   - limit: a child that takes longer is killed, and ``Overdue`` is thrown.
    ///   - body: is given the running child.
    func siding(
        _ arguments: [String], environment: [String: String] = [:], input: String = "",
        limit: Duration = .seconds(60),
        beside body: @escaping @Sendable (Child) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        try await run(
            SidingBinary.path(), arguments, environment: environment, input: input, limit: limit, beside: body)
    }

    /// Runs SQL in the `sqlite3` shell, as an outsider would.
    @discardableResult
    func sqlite(_ file: String, _ sql: String) async throws -> Outcome {
        let outcome = try await run("/usr/bin/sqlite3", ["-batch", "-bail", file, sql])
        try #require(outcome.status == 0, "sqlite3: \(outcome.error)")
        return outcome
    }

    /// Runs any program in the sandbox.
    func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], input: String = "",
        limit: Duration = .seconds(60),
        beside body: @escaping @Sendable (Child) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        var all = environment.merging(["HOME": path, "PATH": "/usr/bin:/bin", "TMPDIR": path]) { own, _ in own }
        // What the sanitizer is told not to report, it is not to report of the children either.
        all["TSAN_OPTIONS"] = ProcessInfo.processInfo.environment["TSAN_OPTIONS"]
        let (directory, variables) = (path, all)
        return try await bounded(limit, "\(program) \(arguments.joined(separator: " "))") {
            let result = try await Subprocess.run(
                .path(FilePath(program)), arguments: Arguments(arguments),
                environment: .custom(
                    Dictionary(
                        uniqueKeysWithValues: variables.map { (Environment.Key(stringLiteral: $0.key), $0.value) })),
                workingDirectory: FilePath(directory), input: .string(input), output: .bytes(limit: 32 << 20),
                error: .bytes(limit: 8 << 20)
            ) { execution in
                try await body(Child(processID: execution.processIdentifier.value))
            }
            return Outcome(result.terminationStatus, output: result.standardOutput, error: result.standardError)
        }
    }

    /// Readers of standard output that do not take all of it.
    enum Reader {
        /// Takes the first line and goes away, as `| head -1` does.
        case head
        /// `/dev/full`, on which every write fails.
        case fullDisk
    }

    /// Runs `siding` with its standard output in the hands of `reader`.
    ///
    /// - Returns: the outcome, and the line that was read.
    func siding(_ arguments: [String], into reader: Reader) async throws -> (outcome: Outcome, line: String) {
        let directory = path
        let (reading, writing) =
            switch reader {
            case .head: try FileDescriptor.pipe()
            case .fullDisk: (try FileDescriptor.open("/dev/null", .readOnly), try .open("/dev/full", .writeOnly))
            }
        return try await bounded(.seconds(60), "siding into \(reader)") {
            let result = try await Subprocess.run(
                .path(FilePath(try SidingBinary.path())), arguments: Arguments(arguments),
                environment: .custom(["HOME": directory]), workingDirectory: FilePath(directory), input: .none,
                output: .fileDescriptor(writing, closeAfterSpawningProcess: true), error: .bytes(limit: 1 << 20)
            ) { _ in
                var line: [UInt8] = []
                var byte: UInt8 = 0
                while try withUnsafeMutableBytes(of: &byte, { try reading.read(into: $0) }) == 1, byte != 0x0A {
                    line.append(byte)
                }
                try reading.close()
                return String(decoding: line, as: UTF8.self)
            }
            return (Outcome(result.terminationStatus, output: [], error: result.standardError), result.closureResult)
        }
    }
}

/// A child ran longer than any command should.
struct Overdue: Error, CustomStringConvertible {
    let description: String
}

/// Runs `work`, and cancels it with an error where it takes longer than `limit`.
private func bounded<Value: Sendable>(
    _ limit: Duration, _ what: String, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await work() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw Overdue(description: "'\(what)' was killed after \(limit)")
        }
        defer { group.cancelAll() }
        while let value = try await group.next() {
            if let value { return value }
        }
        throw CancellationError()
    }
}

/// A running child.
struct Child: Sendable {
    let processID: Int32

    func send(_ signal: Int32) { _ = kill(processID, signal) }

    /// Whether it has ended (proc_pid_status(5)); its status is taken only after the test's part beside it.
    var isOver: Bool {
        (try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8))?.contains("\nState:\tZ") ?? true
    }
}

/// Where the executable lies that this build made: beside the test bundle.
enum SidingBinary {
    static func path() throws -> String {
        var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        while folder.path != "/" {
            for candidate in ["siding", ".build/debug/siding"] {
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
        throw Overdue(description: "no built 'siding' was found beside \(CommandLine.arguments[0])")
    }
}
