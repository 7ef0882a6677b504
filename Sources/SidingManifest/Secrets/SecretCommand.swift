internal import Siding
internal import SidingCredentials
internal import Subprocess
#if canImport(System)
    internal import System
#else
    internal import SystemPackage
#endif

/// A program that prints a secret. It is run directly, without a shell, and its output is never shown.
struct SecretCommand: Sendable, Hashable {
    /// A name to find in `PATH`, or an absolute path.
    let program: String
    let arguments: [String]
    /// The working directory; absolute.
    let directory: String
    var timeLimit = Duration.seconds(10)

    /// The program's name without its arguments, which may contain secrets.
    var name: String { program.split(separator: "/").last.map(String.init) ?? program }

    /// Runs the program and returns its standard output.
    func output(_ environment: ConfigEnvironment) async throws(SecretError) -> String {
        let end = try await race(environment)
        guard end.status.isSuccess else { throw SecretError(reason: Self.reason(end.status, name)) }
        return try SecretText.decode(end.bytes)
    }

    /// Finds the program without running it.
    ///
    /// - Throws: ``SecretError`` if there is no such program, or it may not be run.
    func locate(_ environment: ConfigEnvironment) async throws(SecretError) {
        do {
            let path = try await executable.resolveExecutablePath(in: Self.variables(environment))
            guard ExecutableFile.isExecutable(path.string) else { throw Self.notFound(name) }
        } catch {
            throw Self.notFound(name)
        }
    }

    private struct End: Sendable {
        let status: TerminationStatus
        let bytes: [UInt8]
    }

    /// Runs the program with the time limit. If it takes longer, it is killed with all its children.
    private func race(_ environment: ConfigEnvironment) async throws(SecretError) -> End {
        let limit = timeLimit
        do {
            return try await withThrowingTaskGroup(of: End?.self) { group in
                group.addTask { try await run(environment) }
                group.addTask {
                    try await Task.sleep(for: limit)
                    return nil
                }
                defer { group.cancelAll() }
                guard let end = try await group.next() ?? nil else {
                    throw SecretError(reason: "the program '\(name)' took longer than \(limit)")
                }
                return end
            }
        } catch let error as SecretError {
            throw error
        } catch let error as SubprocessError {
            throw Self.secretError(error, name)
        } catch {
            throw SecretError(reason: "the program '\(name)' was stopped before it ended")
        }
    }

    private func run(_ environment: ConfigEnvironment) async throws -> End {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [
            .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .milliseconds(100))
        ]
        let result = try await Subprocess.run(
            executable, arguments: Arguments(arguments), environment: Self.variables(environment),
            workingDirectory: FilePath(directory), platformOptions: options, input: .none,
            output: .bytes(limit: SecretText.limit), error: .discarded)
        return End(status: result.terminationStatus, bytes: result.standardOutput)
    }

    private var executable: Executable { program.hasPrefix("/") ? .path(FilePath(program)) : .name(program) }

    private static func variables(_ environment: ConfigEnvironment) -> Environment {
        let pairs = environment.variables().map { (Environment.Key(stringLiteral: $0.key), $0.value) }
        return .custom(Dictionary(pairs) { first, _ in first })
    }
}

extension SecretCommand {
    fileprivate static func notFound(_ name: String) -> SecretError {
        SecretError(reason: "there is no program '\(name)' that this user may run")
    }

    fileprivate static func reason(_ status: TerminationStatus, _ name: String) -> String {
        switch status {
        case .exited(let code): "the program '\(name)' ended with status \(code)"
        case .signaled(let signal): "the program '\(name)' was ended by signal \(signal)"
        }
    }

    fileprivate static func secretError(_ error: SubprocessError, _ name: String) -> SecretError {
        switch error.code {
        case .executableNotFound: notFound(name)
        case .outputLimitExceeded:
            SecretError(reason: "the program '\(name)' printed more than \(SecretText.limit) bytes")
        default: SecretError(reason: "the program '\(name)' could not be run")
        }
    }
}
