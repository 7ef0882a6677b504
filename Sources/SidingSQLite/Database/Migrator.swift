// SPDX-License-Identifier: Apache-2.0
import CSQLite
internal import SidingSynchronization

/// Migrates a database file to the newest schema; each step is applied completely or not at all.
public struct Migrator: Sendable {
    /// All steps from an empty file on, with the versions 1, 2, 3 and so on.
    public let migrations: [Migration]

    /// - Parameter migrations: every released step in order; ``migrate(_:at:)`` checks the versions.
    public init(migrations: [Migration]) {
        self.migrations = migrations
    }

    /// Applies the missing migrations, each in a transaction that also sets `user_version`.
    ///
    /// A file with a schema is first copied to `<path>.before-vNNN-<time>`; the copy is removed if no migration could be applied,
    /// as the file is then unchanged. The writer lock is held from the copy to the end, so of several processes one migrates and
    /// the others find it done. Foreign keys are off inside a migration, so that a table can be rebuilt, and are checked before
    /// it commits (sqlite.org/lang_altertable.html, section 7).
    /// - Parameter secondsSince1970: the time in the copy's name; now by default.
    /// - Returns: the applied migrations; none if the file is up to date.
    /// - Throws: ``SQLiteError``: `tooNewSchema` for a file of a newer program, which is not changed; `other` if the versions
    ///   are not 1, 2, 3 and so on; otherwise SQLite's error with the migration's name.
    @discardableResult
    public func migrate(_ database: Database, at secondsSince1970: Int? = nil) async throws(SQLiteError) -> [Migration]
    {
        guard migrations.map(\.version) == Array(1..<migrations.count + 1) else {
            throw SQLiteError(
                .other, "the migrations' versions are \(migrations.map(\.version)), not 1, 2, 3 and so on",
                operation: "migrate the schema", path: database.path)
        }
        let time = secondsSince1970 ?? SidingSynchronization.time(nil)
        guard try await !database.pending(in: migrations).isEmpty else { return [] }
        return try await database.apply(migrations, at: time)
    }
}

extension Database {
    fileprivate func pending(in migrations: [Migration]) throws(SQLiteError) -> [Migration] {
        try openConnection().pending(in: migrations)
    }

    fileprivate func apply(_ migrations: [Migration], at time: Int) throws(SQLiteError) -> [Migration] {
        try withWriter { connection throws(SQLiteError) in
            try connection.apply(try connection.pending(in: migrations), at: time)
        }
    }
}

extension Connection {
    fileprivate func pending(in migrations: [Migration]) throws(SQLiteError) -> [Migration] {
        let found = Int(try integer("PRAGMA user_version"))
        guard found <= migrations.count else {
            throw SQLiteError(
                .tooNewSchema(found: found, supported: migrations.count), "a newer program has written the file",
                operation: "open the database", path: path)
        }
        return migrations.filter { $0.version > found }
    }

    fileprivate func apply(_ pending: [Migration], at time: Int) throws(SQLiteError) -> [Migration] {
        guard let first = pending.first else { return [] }
        let copy = first.version > 1 ? nameForCopy(before: first, at: time) : nil
        if let copy { try backup(to: copy) }
        for migration in pending {
            do {
                try apply(migration)
            } catch {
                if let copy, migration == first { unlink(copy) }
                throw error.during("apply migration \(migration.version) (\(migration.name))")
            }
        }
        return pending
    }

    private func apply(_ migration: Migration) throws(SQLiteError) {
        // The pragma has no effect inside a transaction, so it must come first.
        try run("PRAGMA foreign_keys = OFF", operation: "migrate the schema")
        defer { _ = try? run("PRAGMA foreign_keys = ON", operation: "migrate the schema") }
        try begin("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            try runScript(migration.sql)
            let broken = try run("SELECT count(*) FROM pragma_foreign_key_check", operation: "check foreign keys")
            guard broken == .integer(0) else {
                throw SQLiteError(
                    .constraint("foreign keys"), "rows would be left that refer to missing rows",
                    operation: "check foreign keys", path: path)
            }
            try run("PRAGMA user_version = \(migration.version)", operation: "set the schema's version")
        } catch {
            rollBack()
            throw error
        }
        try commit()
    }

    private func nameForCopy(before migration: Migration, at time: Int) -> String {
        var seconds = time_t(time)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &parts)
        let stamp = String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let version = String(migration.version)
        let padded = String(repeating: "0", count: max(0, 3 - version.count)) + version
        return "\(path).before-v\(padded)-\(stamp)"
    }
}

/// One step of the schema. There is no way back, and a released migration never changes.
public struct Migration: Sendable, Hashable {
    /// 1, 2, 3 and so on: the file's `user_version` after this step.
    public let version: Int
    /// Completes messages about the step, such as `schema`.
    public let name: String
    /// One or more statements without BEGIN and COMMIT, which the migrator runs.
    public let sql: String

    /// The parameters are the properties of the same names.
    public init(version: Int, name: String, sql: String) {
        self.version = version
        self.name = name
        self.sql = sql
    }
}
