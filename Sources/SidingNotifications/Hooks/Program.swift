// SPDX-License-Identifier: Apache-2.0
internal import Subprocess
internal import SidingSynchronization
#if canImport(System)
    internal import System
#else
    internal import SystemPackage
#endif

/// A program of the config. It is run directly, without a shell, with a time limit; if it takes longer, it is killed with
/// all its children.
package struct Program: Sendable, Hashable {
    /// A name to find in `PATH`, or an absolute path.
    package let name: String
    package let arguments: [String]
    /// The working directory; absolute.
    package let directory: String

    package init(_ name: String, arguments: [String], directory: String) {
        (self.name, self.arguments, self.directory) = (name, arguments, directory)
    }

    /// The name without its directory and its arguments, which may contain secrets.
    package var shortName: String { name.split(separator: "/").last.map(String.init) ?? name }

    /// Why a program gave no result.
    package struct Fault: Error, Sendable {
        package let reason: String
    }

    /// Finds the program without running it.
    package func locate(_ variables: [String: String]) async throws(Fault) {
        do {
            let path = try await executable.resolveExecutablePath(in: Self.environment(variables))
            guard Self.isExecutable(path.string) else { throw notFound }
        } catch {
            throw notFound
        }
    }

    /// Whether `path` is a regular file that this user may run.
    private static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    /// Runs the program without input and returns its standard output, of at most `limit` bytes.
    package func output(
        _ variables: [String: String], upTo limit: Int, within time: Duration, on clock: any Clock<Duration>
    ) async throws(Fault) -> [UInt8] {
        let end = try await bounded(time, on: clock, outputLimit: limit) {
            let result = try await Subprocess.run(
                executable, arguments: Arguments(arguments), environment: Self.environment(variables),
                workingDirectory: FilePath(directory), platformOptions: Self.options, input: .none,
                output: .bytes(limit: limit), error: .discarded)
            return End(status: result.terminationStatus, bytes: result.standardOutput)
        }
        try check(end)
        return end.bytes
    }

    /// Runs the program with `input` on its standard input. Its standard output is dropped; its standard error is that of
    /// this process.
    package func run(
        _ variables: [String: String], input: [UInt8], within time: Duration, on clock: any Clock<Duration>
    ) async throws(Fault) {
        let end = try await bounded(time, on: clock, outputLimit: 0) {
            let result = try await Subprocess.run(
                executable, arguments: Arguments(arguments), environment: Self.environment(variables),
                workingDirectory: FilePath(directory), platformOptions: Self.options,
                input: .fileDescriptor(try Self.pipe(holding: input), closeAfterSpawningProcess: true),
                output: .discarded, error: .currentStandardError)
            return End(status: result.terminationStatus, bytes: [])
        }
        try check(end)
    }

    private struct End: Sendable {
        let status: TerminationStatus
        let bytes: [UInt8]
    }

    private func bounded(
        _ limit: Duration, on clock: any Clock<Duration>, outputLimit: Int,
        _ run: @escaping @Sendable () async throws -> End
    ) async throws(Fault) -> End {
        do {
            return try await withThrowingTaskGroup(of: End?.self) { group in
                group.addTask { try await run() }
                group.addTask {
                    try await clock.sleep(for: limit)
                    return nil
                }
                defer { group.cancelAll() }
                guard let end = try await group.next() ?? nil else {
                    throw Fault(reason: "the program '\(shortName)' took longer than \(limit)")
                }
                return end
            }
        } catch let fault as Fault {
            throw fault
        } catch let error as SubprocessError {
            throw fault(error, outputLimit)
        } catch {
            throw Fault(reason: "the program '\(shortName)' was stopped before it ended")
        }
    }

    private func check(_ end: End) throws(Fault) {
        switch end.status {
        case .exited(0): return
        case .exited(let code): throw Fault(reason: "the program '\(shortName)' ended with status \(code)")
        case .signaled(let signal): throw Fault(reason: "the program '\(shortName)' was ended by signal \(signal)")
        }
    }

    private func fault(_ error: SubprocessError, _ outputLimit: Int) -> Fault {
        switch error.code {
        case .executableNotFound: notFound
        case .outputLimitExceeded: Fault(reason: "the program '\(shortName)' printed more than \(outputLimit) bytes")
        default: Fault(reason: "the program '\(shortName)' could not be run")
        }
    }

    private var notFound: Fault { Fault(reason: "there is no program '\(shortName)' that this user may run") }

    private var executable: Executable { name.hasPrefix("/") ? .path(FilePath(name)) : .name(name) }

    private static var options: PlatformOptions {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [
            .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .milliseconds(100))
        ]
        return options
    }

    private static func environment(_ variables: [String: String]) -> Environment {
        let pairs = variables.map { (Environment.Key(stringLiteral: $0.key), $0.value) }
        return .custom(Dictionary(pairs) { first, _ in first })
    }

    /// The reading end of a pipe that already holds all of `input`, so that a program that does not read it can neither block
    /// nor signal this process. Linux keeps 64 KiB in a pipe; a notification has a few.
    private static func pipe(holding input: [UInt8]) throws -> FileDescriptor {
        let ends = try FileDescriptor.pipe()
        defer { try? ends.writeEnd.close() }
        do {
            _ = fcntl(ends.writeEnd.rawValue, F_SETFL, O_NONBLOCK)
            guard try input.withUnsafeBytes({ try ends.writeEnd.write($0) }) == input.count else { throw Errno.noSpace }
        } catch {
            try? ends.readEnd.close()
            throw error
        }
        return ends.readEnd
    }
}
