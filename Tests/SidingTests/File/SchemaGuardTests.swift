// SPDX-License-Identifier: Apache-2.0
import Foundation
import Siding
import SidingSQLite
import Testing

@testable import SidingTesting

@Suite struct SchemaGuardTests {
    /// The kind of error with which the file is refused after `sql` was run in it.
    private func refusal(
        after sql: String, access: Store.Access = .readWriteCreate
    ) async throws -> StoreError.Kind? {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":1}]"#)
        try await bench.execute(sql)
        try await bench.store.close()
        return try await storeErrorKind {
            let store = try await Store.open(at: bench.path, access: access)
            await store.close()
        }
    }

    @Test(
        arguments: [
            "CREATE VIEW planted AS SELECT 1 AS x", "CREATE INDEX planted ON siding_records_posts (run)",
            "CREATE TRIGGER planted AFTER INSERT ON siding_records_posts BEGIN DELETE FROM siding_runs; END",
            "DROP VIEW posts; CREATE VIEW posts AS SELECT load_extension('x') AS id",
            "DROP INDEX siding_outbox_completed; CREATE INDEX siding_outbox_completed ON siding_outbox (completed_at, resource)",
            "DROP VIEW siding_outbox_entries; CREATE VIEW siding_outbox_entries AS SELECT load_extension('x') AS id",
        ], [Store.Access.readWriteCreate, .readOnly])
    func `a view, trigger or index of another program is refused`(_ sql: String, _ access: Store.Access) async throws {
        #expect(try await refusal(after: sql, access: access) == .foreign)
    }

    @Test func `a file without foreign changes is accepted`() async throws {
        #expect(try await refusal(after: "DELETE FROM siding_runs WHERE id = 99") == nil)
    }

    @Test(arguments: [Store.Access.readWriteCreate, .readWrite, .readOnly])
    func `a file of a newer version is refused, and left as it was`(_ access: Store.Access) async throws {
        #expect(try await refusal(after: "PRAGMA user_version = 99", access: access) == .newer)
    }

    @Test func `a file that is not a database is refused, and left as it was`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "notes.db")
        let text = Data(String(repeating: "these are my notes\n", count: 500).utf8)
        try text.write(to: URL(filePath: path))
        #expect(try await storeErrorKind { _ = try await Store.open(at: path) } == .foreign)
        #expect(try Data(contentsOf: URL(filePath: path)) == text)
    }

    @Test(arguments: [0, 0x1234_5678] as [Int32])
    func `a database of another program is refused`(_ applicationID: Int32) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "other.db")
        var configuration = DatabaseConfiguration()
        configuration.applicationID = applicationID
        let other = try await Database.open(at: path, configuration: configuration)
        try await other.write { try $0.executeScript("CREATE TABLE notes (text TEXT)") }
        await other.close()
        #expect(try await storeErrorKind { _ = try await Store.open(at: path) } == .foreign)
    }

    @Test func `a file of a build before the first release is refused in plain words, and left as it was`() async throws
    {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "old.db")
        var configuration = DatabaseConfiguration()
        configuration.applicationID = DatabaseConfiguration.unreleasedApplicationID
        let old = try await Database.open(at: path, configuration: configuration)
        try await old.write { try $0.executeScript("CREATE TABLE siding_records (key TEXT)") }
        await old.close()
        let error = await #expect(throws: StoreError.self) { try await Store.open(at: path) }
        #expect(error?.kind == .foreign)
        #expect(error?.message == "\(path) was written by an unreleased build of siding, and this one cannot read it")
        #expect(error?.hint?.contains("sync again") == true)
    }

    @Test(
        arguments: [
            "ALTER TABLE siding_resources DROP COLUMN rewrite_from",
            "ALTER TABLE siding_resources ADD COLUMN more TEXT", "DROP TABLE siding_rate_limits",
        ], [Store.Access.readWriteCreate, .readWrite, .readOnly])
    func `a file of a build with other tables is refused with the same message, at any access`(
        _ sql: String, _ access: Store.Access
    ) async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":1}]"#)
        try await bench.execute(sql)
        try await bench.store.close()
        let error = await #expect(throws: StoreError.self) { try await Store.open(at: bench.path, access: access) }
        #expect(error?.kind == .foreign)
        #expect(
            error?.message == "\(bench.path) was written by an unreleased build of siding, and this one cannot read it")
    }

    @Test(arguments: [Store.Access.readWrite, .readOnly])
    func `a missing file is not found where it must exist`(_ access: Store.Access) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "missing.db")
        #expect(try await storeErrorKind { _ = try await Store.open(at: path, access: access) } == .notFound)
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
