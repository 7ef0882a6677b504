// SPDX-License-Identifier: Apache-2.0
/// How to connect to a PostgreSQL server, and how long to wait for it.
package struct PostgreSQLSettings: Sendable {
    /// A URI `postgresql://user@host/database`, a conninfo string `host=… dbname=…`, or `service=…`
    /// (PostgreSQL's documentation, "Connection Strings").
    ///
    /// Without `sslmode`, `verify-full` is used for every server on another machine.
    package var address: String
    /// Replaces a password in the address. Nil: the address, `PGPASSWORD` or `~/.pgpass` has it, or none is needed.
    package var password: String?
    /// What `pg_stat_activity` shows, unless the address has an `application_name`.
    package var applicationName: String
    /// The time to look up the name, connect, and sign in: 10 s by default.
    package var connectTimeout: Duration
    /// The server's limit for each statement of a transaction: 60 s by default. This side waits ``answerMargin`` longer, and
    /// then closes the connection.
    package var statementTimeout: Duration
    /// The server's limit for each wait for a lock: 10 s by default.
    package var lockTimeout: Duration = .seconds(10)
    /// The server's limit for a transaction that sends nothing: 60 s by default.
    package var idleTimeout: Duration = .seconds(60)
    /// How much longer than ``statementTimeout`` this side waits for an answer: 5 s.
    var answerMargin: Duration = .seconds(5)
    /// How long a cancelled call still waits for the answer to COMMIT: 2 s. Most answers come at once, and then nothing is in doubt.
    var commitGrace: Duration = .seconds(2)

    /// The limit for a statement that sends so many bytes. It leaves time for them on a line of 8 kB/s: a record that always
    /// took too long would hold up those behind it for ever.
    func limit(sending bytes: Int) -> Duration { statementTimeout + .seconds(bytes / 8_000) }

    package init(
        address: String, password: String? = nil, applicationName: String = "siding",
        connectTimeout: Duration = .seconds(10), statementTimeout: Duration = .seconds(60)
    ) {
        self.address = address
        self.password = password
        self.applicationName = applicationName
        self.connectTimeout = connectTimeout
        self.statementTimeout = statementTimeout
    }
}

/// Prints no password, wherever the settings are logged or dumped; the address may have one too.
extension PostgreSQLSettings: CustomStringConvertible, CustomReflectable {
    package var description: String { "PostgreSQLSettings(\(applicationName))" }
    package var customMirror: Mirror { Mirror(self, children: ["applicationName": applicationName]) }
}

extension Duration {
    /// Whole milliseconds, at least 1: for PostgreSQL, 0 means no limit.
    var positiveMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        return Int32(clamping: max(1, min(seconds, 1 << 31) * 1_000 + attoseconds / 1_000_000_000_000_000))
    }
}
