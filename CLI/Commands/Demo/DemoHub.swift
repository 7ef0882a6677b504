// SPDX-License-Identifier: Apache-2.0
import Foundation
import SystemPackage

/// The hub of the demo: a PostgreSQL server of its own, on a Unix socket that only its user can reach.
struct DemoHub {
    /// Where its cluster, its socket and its log are.
    let directory: String
    let terminal: DemoTerminal
    /// The folder of PostgreSQL's programs.
    private let programs: String
    /// Whether the directory is not the demo's.
    private let isApart: Bool

    /// The URI of the hub in a config.
    var address: String { "postgresql://siding@/fleet?host=\(directory)" }

    /// Prepares the directory; nothing runs yet.
    ///
    /// - Parameters:
    ///   - place: the directory of the demo's files.
    ///   - programs: the folder of PostgreSQL's programs.
    /// - Throws: ``CommandError`` if the directory cannot be made.
    init(in place: String, programs: String) throws {
        self.programs = programs
        let user = try Self.user()
        isApart = user != nil || !Self.isFit("\(place)/hub")
        if isApart {
            directory = try TemporaryDirectory.make("hub", in: "/tmp", hint: "PostgreSQL's socket needs a short path")
        } else {
            directory = "\(place)/hub"
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        if let user, chown(directory, user.id, user.group) != 0 {
            let reason = String(cString: strerror(errno))
            throw CommandError(.inputOutput, "input_output", "the owner of \(directory) cannot be changed: \(reason)")
        }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        terminal = DemoTerminal(
            prompt: "hub $", directory: directory,
            variables: [
                "PATH": "\(programs):\(path)", "PGDATA": "\(directory)/data", "PGHOST": directory, "PGUSER": "siding",
            ], user: user)
    }

    /// Who runs PostgreSQL, which refuses to run as root; nil: who runs the demo.
    private static func user() throws -> DemoTerminal.User? {
        guard geteuid() == 0 else { return nil }
        if let user = DemoTerminal.User("postgres") ?? DemoTerminal.User("nobody") { return user }
        throw CommandError(
            .config, "postgresql", "PostgreSQL does not run as root, and there is no user 'postgres' or 'nobody'",
            hint: "run the demo as another user")
    }

    /// Whether a socket in `directory` has at most 107 bytes (unix(7)), and no URI or shell has to escape the path.
    private static func isFit(_ directory: String) -> Bool {
        directory.utf8.count + "/.s.PGSQL.65535".utf8.count <= 107
            && directory.wholeMatch(of: /[A-Za-z0-9\/._-]+/) != nil
    }

    // MARK: The server

    /// Runs `body`, and stops the server then: also if this process is killed, as another one waits for that.
    func stopping(after body: () async throws -> Void) async throws {
        let (input, held) = try FileDescriptor.pipe()
        // No child may hold the end that this process closes.
        _ = fcntl(held.rawValue, F_SETFD, FD_CLOEXEC)
        let stop = Task { try await terminal.end(of: "read -r line; pg_ctl stop --silent", input: input) }
        do {
            try await perform(body) {
                try? held.close()
                _ = await stop.result
            }
        } catch {
            if isApart { try? FileManager.default.removeItem(atPath: directory) }
            throw error
        }
    }

    /// Makes the cluster and the database, and starts the server.
    func create() async throws {
        Output.line("    \(terminal.prompt) cd \(directory)")
        Output.line("    \(terminal.prompt) export PATH=\(programs):$PATH PGDATA=$PWD/data PGHOST=$PWD PGUSER=siding")
        try await terminal.run("initdb -U siding -A trust -E UTF8 --no-locale > log")
        try await start()
        try await terminal.run("createdb fleet")
    }

    func start() async throws {
        do { try await terminal.run(#"pg_ctl start -l log -o "-k $PGHOST -h ''""#) } catch var error as CommandError {
            error.hint = (try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)).map {
                String($0.suffix(1_000))
            }
            throw error
        }
    }

    /// Ends the server as a crash would.
    func crash() async throws { try await terminal.run("pg_ctl stop -m immediate") }

    /// Shows the rows of a statement.
    func query(_ sql: String) async throws -> String { try await terminal.run("psql -X fleet -c \"\(sql)\"") }
}
