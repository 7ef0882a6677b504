// SPDX-License-Identifier: Apache-2.0
@testable import Siding
@testable import SidingSQLite

extension Store {
    /// How SQLite goes about a statement: the lines of its plan, which does not depend on the parameters.
    func plan(of sql: String) async throws -> [String] {
        try await write { transaction in
            var statement = try transaction.prepare(SQL(verbatim: "EXPLAIN QUERY PLAN \(sql)"))
            var lines: [String] = []
            while try statement.step() { lines.append(statement.row.text(3)) }
            return lines
        }
    }

    /// The newest statements that the writing connection and one that reads have run.
    func recentStatements() async throws -> Set<String> {
        let written = try await write { $0.connection.cache.texts }
        let read = try await read { $0.connection.cache.texts }
        return Set(written + read)
    }
}
