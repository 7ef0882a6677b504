// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import SidingSynchronization

package import SidingPostgreSQL

/// A real PostgreSQL server on a Unix socket in a temporary directory of its own. It stops, and its files go, with the last
/// reference or with this process, however that ends.
package final class PostgreSQLServer: Sendable {
    /// The directory with the socket. A socket's path must have fewer than 108 bytes, so it lies in `/tmp`.
    package let directory: String
    /// Its input keeps the server running.
    private let running: Mutex<FileHandle?>
    private let output: FileHandle
    private let process: Process

    /// A role whose password is asked for; all others sign in without one.
    package static let guardedRole = "guarded"
    package static let guardedPassword = "wonderful-secret"

    /// The server that most tests use together; each makes tables with names of its own.
    package static let shared = Result { try PostgreSQLServer() }

    /// Copies the template cluster and starts a server in it; returns when it accepts connections.
    ///
    /// - Parameters:
    ///   - address: listens there too, and lets all in that are in its network.
    ///   - launcher: what runs the server, as `ip netns exec NAME` does.
    package init(at address: String = "", under launcher: [String] = []) throws {
        let tools = try Self.tools.get()
        let template = try Self.template.get()
        directory = try Self.makeDirectory()
        // The shell waits for the end of its input, which comes even if this process is killed.
        let script = """
            home="$2" tools="$3" options="$4"
            start() { "$tools/pg_ctl" start --wait --silent --pgdata="$home/data" --log="$home/log" --options="$options"; }
            crash() { "$tools/pg_ctl" stop --wait --silent --mode=immediate --pgdata="$home/data"; }
            cp -r "$1/data" "$home/data" && start || exit 1
            echo ready
            while read -r command; do "$command" || break; echo ready; done
            crash; rm -rf "$home"
            """
        let options = "-k \(directory) -c listen_addresses=\(address) -c fsync=off -c shared_buffers=16MB"
        process = Self.unprivileged(
            ["/bin/sh", "-c", script, "sh", template.path, directory, tools, options], under: launcher)
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        self.output = output.fileHandleForReading
        running = Mutex(input.fileHandleForWriting)
        try process.run()
        try Self.check(self.output.availableData, in: directory)
    }

    private static func check(_ answer: Data, in directory: String) throws {
        guard answer.starts(with: Array("ready".utf8)) else {
            let log = (try? String(contentsOfFile: directory + "/log", encoding: .utf8)) ?? "without a log"
            throw Failure(reason: "PostgreSQL did not start: \(log)")
        }
    }

    /// Stops the server as a crash would (`pg_ctl stop -m immediate`); its files stay.
    package func crash() async throws { try await run("crash") }

    /// Starts it again; returns when it accepts connections.
    package func start() async throws { try await run("start") }

    private func run(_ command: String) async throws {
        try running.withLock { try $0?.write(contentsOf: Data("\(command)\n".utf8)) }
        let answer = await withCheckedContinuation { continuation in
            // Reading blocks, and a thread of Swift's pool must not.
            Thread.detachNewThread { [output] in continuation.resume(returning: output.availableData) }
        }
        try Self.check(answer, in: directory)
    }

    deinit { stop() }

    /// Stops the server as a crash would, and removes its files.
    package func stop() {
        guard let handle = running.exchange(nil) else { return }
        try? handle.close()
        process.waitUntilExit()
    }

    /// The settings of a connection as the superuser.
    package func settings(user: String = "siding", password: String? = nil) -> PostgreSQLSettings {
        PostgreSQLSettings(
            address: "host=\(directory) dbname=postgres user=\(user)", password: password,
            applicationName: "siding/test")
    }

    package func open(_ change: (inout PostgreSQLSettings) -> Void = { _ in }) async throws -> PostgreSQLConnection {
        var settings = settings()
        change(&settings)
        return try await PostgreSQLConnection.open(settings)
    }

    /// The rows of a statement, each in a line with `-` for NULL; `@` in it is the schema.
    package func rows(_ sql: String, in schema: String) async throws -> [String] {
        let connection = try await open()
        let found = try await connection.query(sql.replacing("@", with: "\"\(schema)\""))
        await connection.close()
        return found.rows.map { $0.map { $0 ?? "-" }.joined(separator: " ") }
    }

    package struct Failure: Error, CustomStringConvertible {
        let reason: String
        package var description: String { reason }
    }
}

// MARK: - The cluster

extension PostgreSQLServer {
    /// A cluster that servers copy: making one takes longer. It goes with this process.
    private final class Template: Sendable {
        let path: String
        private let keeper: Process
        private let input = Pipe()

        init() throws {
            path = try PostgreSQLServer.makeDirectory()
            keeper = PostgreSQLServer.unprivileged(["/bin/sh", "-c", "read -r line; rm -rf \"$1\"", "sh", path])
            keeper.standardInput = input
            try keeper.run()
            let script = """
                "$2/initdb" --pgdata="$1/data" --username=siding --auth=trust --no-sync --encoding=UTF8 --locale=C >"$1/log" 2>&1 &&
                echo "CREATE ROLE \(guardedRole) LOGIN PASSWORD '\(guardedPassword)'" |
                "$2/postgres" --single -D "$1/data" postgres >>"$1/log" 2>&1 &&
                printf 'local all \(guardedRole) scram-sha-256\\nlocal all all trust\\nhost all all samenet trust\\n' >"$1/data/pg_hba.conf"
                """
            let making = PostgreSQLServer.unprivileged([
                "/bin/sh", "-c", script, "sh", path, try PostgreSQLServer.tools.get(),
            ])
            try making.run()
            making.waitUntilExit()
            guard making.terminationStatus == 0 else {
                let log = (try? String(contentsOfFile: path + "/log", encoding: .utf8)) ?? "without a log"
                throw Failure(reason: "initdb failed: \(log)")
            }
        }
    }

    private static let template = Result { try Template() }

    /// The programs of the newest installed version: Debian keeps them out of PATH.
    private static let tools = Result {
        let parent = "/usr/lib/postgresql"
        let versions = try FileManager.default.contentsOfDirectory(atPath: parent).compactMap { Int($0) }
        guard let newest = versions.max() else { throw Failure(reason: "install the Debian package postgresql") }
        return "\(parent)/\(newest)/bin"
    }

    /// PostgreSQL refuses to run as root.
    private static let isRoot = geteuid() == 0

    private static func makeDirectory() throws -> String {
        var template = Array("/tmp/siding-postgresql-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template).map({ String(cString: $0) }) else { throw SystemError() }
        if isRoot, let nobody = getpwnam("nobody"), chown(path, nobody.pointee.pw_uid, nobody.pointee.pw_gid) != 0 {
            throw SystemError()
        }
        return path
    }

    private static func unprivileged(_ arguments: [String], under launcher: [String] = []) -> Process {
        let process = Process()
        let user = ["/usr/bin/setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        let words = launcher + (isRoot ? user : []) + arguments
        process.executableURL = URL(filePath: words[0])
        process.arguments = Array(words.dropFirst())
        process.currentDirectoryURL = URL(filePath: "/")
        return process
    }
}

/// The error that `work` throws, if it is of this module.
package func failure<T>(_ work: () async throws -> T) async -> PostgreSQLError? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error as? PostgreSQLError
    }
}
