// SPDX-License-Identifier: Apache-2.0
import PostgreSQLTestSupport
import Siding
import SidingChain
import SidingSQLite

/// The rows of a station, living and deleted, each in a line: as its file has them, and as the hub should have them.
struct StationRows {
    let resource: String
    let columns: [String]

    func inFile(_ store: Store) async throws -> [String] {
        guard
            let found = try await store.changes(of: resource, behind: .init(revision: 0), rows: .max, bytes: .max)
        else { return [] }
        let places = columns.compactMap { name in found.resource.columns.firstIndex { $0.name == name } }
        return found.rows.map { row in
            let own: [String?] = [
                row.key, String(decoding: row.body, as: UTF8.self), "\(row.revision)", row.changedAt.rfc3339,
                row.deletedAt?.rfc3339,
            ]
            return (own + places.map { Self.text(row.values[$0]) }).map { $0 ?? "-" }.joined(separator: " ")
        }.sorted()
    }

    func inHub(_ server: PostgreSQLServer, schema: String, station: String) async throws -> [String] {
        let times = ["changed", "deleted"].map {
            "to_char(siding_\($0)_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
        }
        let all = ["siding_key", "siding_body", "siding_revision"] + times + columns
        return try await server.rows(
            "SELECT \(all.joined(separator: ", ")) FROM @.\(resource) WHERE siding_station = '\(station)'", in: schema
        ).sorted()
    }

    /// As PostgreSQL prints it.
    private static func text(_ value: ColumnValue) -> String? {
        switch value {
        case .json(let bytes): return String(decoding: bytes, as: UTF8.self)
        case .cell(.null): return nil
        case .cell(.integer(let integer)): return "\(integer)"
        case .cell(.real(let real)): return "\(real)"
        case .cell(.text(let text)): return text
        case .cell(.blob(let bytes)): return "\(bytes)"
        }
    }
}
