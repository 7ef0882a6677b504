// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingSQLite
import SidingTesting

@testable import Siding

/// A response cache in a file of its own, with what a test reads and changes behind its back.
struct ResponseCacheFixture {
    private let directory: TemporaryDirectory
    let time = ManualWallClock()
    let cache: SQLiteResponseCache

    init(byteLimit: Int = 64 << 20) async throws {
        directory = try TemporaryDirectory()
        cache = try await SQLiteResponseCache.open(
            at: directory.path(of: "responses.db"), byteLimit: byteLimit, clock: time.clock)
    }

    var path: String { cache.database.path }

    /// Every row of a statement, as text; NULL is nil.
    func rows(_ sql: String) async throws -> [[String?]] {
        try await cache.reader.read { snapshot in
            try snapshot.query(SQL(verbatim: sql)) { row in
                (0..<row.columnCount).map { row.optionalText($0) }
            }
        }
    }

    func execute(_ sql: String) async throws {
        try await cache.database.write { try $0.executeScript(SQL(verbatim: sql)) }
    }

    /// The rows that the cache's own connection has written so far.
    func totalChanges() async throws -> Int64 {
        try await cache.database.write { try $0.first("SELECT total_changes()") { $0.int(0) } ?? 0 }
    }
}
