// SPDX-License-Identifier: Apache-2.0
import Foundation
import Subprocess
import SystemPackage

/// Runs commands of other programs for the demo, and shows them as in a terminal.
struct DemoTerminal {
    let prompt: String
    /// Where the commands run.
    let directory: String
    /// Added to the environment.
    var variables: [String: String] = [:]
    /// Who runs them; nil: who runs the demo.
    var user: User?

    struct User {
        let name: String
        let id: uid_t
        let group: gid_t

        /// The user named `name`, if there is one.
        init?(_ name: String) {
            guard let entry = getpwnam(name) else { return nil }
            self.name = name
            (id, group) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
        }
    }

    struct Ending {
        let status: Int32
        /// What it printed, to standard error too.
        let output: String
    }

    /// Runs a command line of the shell, and prints it with its output and its exit code.
    ///
    /// - Returns: the output.
    /// - Throws: ``CommandError`` if it fails.
    @discardableResult
    func run(_ line: String) async throws -> String {
        Output.line("    \(prompt) \(line)")
        Output.flush()
        let ending = try await end(of: line)
        if !ending.output.isEmpty { Output.line(Output.plain(ending.output)) }
        Output.line("    (exit \(ending.status))")
        guard ending.status == 0 else {
            throw CommandError(.failure, "demo", "'\(line)' ended with \(ending.status), not 0")
        }
        return ending.output
    }

    /// Runs a command line to its end, also if this task is cancelled or Ctrl-C is pressed meanwhile.
    ///
    /// - Parameter input: its standard input; closed after the start.
    /// - Throws: `CancellationError` after the end if this task is cancelled.
    func end(of line: String, input: FileDescriptor? = nil) async throws -> Ending {
        var options = PlatformOptions()
        options.createSession = true
        let environment = Environment.inherit.updating(
            Dictionary(uniqueKeysWithValues: variables.map { (Environment.Key(stringLiteral: $0.key), $0.value) }))
        let (directory, platformOptions, program) = (FilePath(directory), options, program(of: line))
        let ending = try await Task {
            let input = try input ?? FileDescriptor.open("/dev/null", .readOnly, options: .closeOnExec)
            let result = try await Subprocess.run(
                program.executable, arguments: program.arguments, environment: environment,
                workingDirectory: directory, platformOptions: platformOptions,
                input: .fileDescriptor(input, closeAfterSpawningProcess: true),
                output: .bytes(limit: 1 << 20), error: .combinedWithOutput)
            let status: Int32 =
                switch result.terminationStatus {
                case .exited(let code): code
                case .signaled(let signal): 128 + signal
                }
            let output = String(decoding: result.standardOutput, as: UTF8.self)
            return Ending(status: status, output: output.trimmingCharacters(in: .newlines))
        }.value
        try Task.checkCancellation()
        return ending
    }

    /// The shell with `line`, as the user.
    ///
    /// Another program changes the user: glibc's setuid(3) waits for a lock that a thread of this process may have held when the
    /// child was forked, so the child could wait without end.
    private func program(of line: String) -> (executable: Executable, arguments: Arguments) {
        guard let user else { return (.path("/bin/sh"), ["-c", line]) }
        return (
            .name("setpriv"),
            ["--reuid=\(user.id)", "--regid=\(user.group)", "--clear-groups", "/bin/sh", "-c", line]
        )
    }
}
