// SPDX-License-Identifier: Apache-2.0
import SidingSQLite
import Testing

@testable import Siding
@testable import SidingTesting

/// A SQLite store with a run and a lease, and eyes for its file.
struct FileBench {
    let provider: StoreProvider
    var bench: StoreBench

    init() async throws {
        provider = try StoreProvider()
        bench = try await StoreBench(provider)
    }

    var path: String { provider.path }

    var store: Store {
        get throws { bench.store }
    }

    /// Commits one page as a listing of its own.
    @discardableResult
    func commit(_ json: String, schema: RecordSchema = RecordSchema()) async throws -> RunCounters {
        try await bench.commit(json, bench.open(schema: schema), columns: schema.columns.map(\.path))
    }

    /// Reads the quarantine again, for which the bench's lease is given back.
    func retry(
        _ selection: QuarantineSelection = QuarantineSelection(), as resources: [AnyResource]
    ) async throws -> [QuarantineChange] {
        try await bench.store.releaseLease(bench.lease)
        return try await store.retryQuarantined(selection, as: resources)
    }

    /// Every row of a statement, as text; NULL is nil.
    func rows(_ sql: String) async throws -> [[String?]] {
        try await store.read { snapshot in
            try snapshot.query(SQL(verbatim: sql)) { row in
                (0..<row.columnCount).map { row.optionalText($0) }
            }
        }
    }

    func columns(_ view: String) async throws -> [String] {
        try await rows("SELECT name FROM pragma_table_info('\(view)')").compactMap { $0.first ?? nil }
    }

    /// How SQLite would answer a statement.
    func plan(_ sql: String) async throws -> String {
        try await rows("EXPLAIN QUERY PLAN \(sql)").compactMap { $0.last ?? nil }.joined(separator: "; ")
    }

    /// One step of rewriting the records of `posts` as their config declares them now.
    func rewriteNext(_ rows: Int) async throws -> RowStep {
        let now = bench.time.now
        return try #require(try await store.write("posts") { try $0.rewrite(next: rows, now: now, $1) })
    }

    func execute(_ sql: String) async throws {
        try await store.write { try $0.executeScript(SQL(verbatim: sql)) }
    }
}

/// The kind of the `StoreError` that `body` throws; nil where it throws none.
func storeErrorKind(_ body: () async throws -> Void) async throws -> StoreError.Kind? {
    do { try await body() } catch let error as StoreError { return error.kind }
    return nil
}
