// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingJSON
import SidingSynchronization
import Testing

@testable import Siding
@testable import SidingTesting

/// A SQLite store with a resource called `posts` that keeps its history, and eyes for both.
struct HistoryBench {
    let edits: EditBench
    let schema: RecordSchema

    init(_ retention: HistoryRetention? = HistoryRetention(), schema: RecordSchema = RecordSchema()) async throws {
        edits = try await EditBench()
        var schema = schema
        schema.history = retention
        self.schema = schema
    }

    var sqlite: FileBench { edits.sqlite }
    var store: Store { edits.store }
    var time: ManualWallClock { edits.time }

    /// A second later a pull brings these records.
    @discardableResult
    func pull(_ json: String, schema: RecordSchema? = nil) async throws -> RunCounters {
        time.advance(by: .seconds(1))
        return try await sqlite.commit(json, schema: schema ?? self.schema)
    }

    /// A second later these records are tombstones.
    func delete(_ keys: String...) async throws {
        time.advance(by: .seconds(1))
        _ = try await store.delete(RecordLookup(resource: "posts", keys: keys))
    }

    func history(_ key: String, limit: Int? = nil) async throws -> RecordHistory {
        try #require(try await store.history(of: "posts", key: key, limit: limit))
    }

    /// A word for each version of a record, newest first: `updated {"id":"a"} 1-3`, in seconds since the clock's start.
    func words(_ key: String, limit: Int? = nil) async throws -> [String] {
        try await history(key, limit: limit).versions.map { version in
            let pending = version.pending == 0 ? "" : " (\(version.pending))"
            let span = "\(seconds(version.from))-\(version.to.map { seconds($0) } ?? "")"
            return "\(version.change.rawValue)\(pending) \(String(decoding: version.body, as: UTF8.self)) \(span)"
        }
    }

    private func seconds(_ moment: Timestamp) -> String { String((moment - Self.start).components.seconds) }

    static let start = ManualWallClock().now

    /// The rows of a query, as text, in the order of their text; at a moment or now.
    func rows(_ sql: String, at moment: Timestamp? = nil) async throws -> [String] {
        let rows = Mutex<[String]>([])
        try await store.query(sql, asOf: moment, columns: { _ in }) { row in
            rows.withLock { $0.append(row.map(Self.text).joined(separator: "|")) }
        }
        return rows.withLock { $0 }.sorted()
    }

    private static func text(_ value: ColumnValue) -> String {
        switch value {
        case .cell(let cell): "\(cell)"
        case .json(let json): String(decoding: json, as: UTF8.self)
        }
    }

    /// The message of the refusal to look back; nil where there is none.
    func refusal(_ sql: String, at moment: Timestamp) async throws -> String? {
        do { _ = try await rows(sql, at: moment) } catch let error as StoreError {
            #expect(error.kind == .invalidQuery)
            return error.message
        }
        return nil
    }

    func count(_ table: String) async throws -> Int {
        Int(try await sqlite.rows("SELECT count(*) FROM \(table)")[0][0] ?? "") ?? 0
    }

    /// Ends the present run, with what retention removes then, and begins another one.
    func endRun() async throws {
        try await store.endRun(sqlite.bench.run, outcome: .saved)
    }
}
