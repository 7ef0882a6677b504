// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingPostgreSQL

/// How far a resource of a station has come in the hub: a row there, which each transaction changes with the records.
struct HubPosition: Equatable, Sendable {
    /// All records up to this revision are there; 0 for none.
    var revision: Int64
    /// What the newest transaction left; see ``Publication``.
    var mark: String
    /// The number of the resource whose revision that is.
    var number: Int64
    /// Whether the records of the station that are there were compared with those of its file.
    var isCompared: Bool
}

/// The table of the positions.
struct HubPositions: Sendable {
    let schema: String
    let station: String

    var name: String { "\(SQLName(schema)).siding_positions" }

    var creation: [String] {
        [
            "CREATE SCHEMA IF NOT EXISTS \(SQLName(schema))",
            """
            CREATE TABLE IF NOT EXISTS \(name) (station text NOT NULL, resource text NOT NULL, number bigint NOT NULL,
                revision bigint NOT NULL, mark text NOT NULL, is_compared boolean NOT NULL,
                published_at timestamp with time zone NOT NULL DEFAULT now(), PRIMARY KEY (station, resource))
            """,
        ]
    }

    private func key(_ resource: String) -> [PostgreSQLValue] { [.text(station), .text(resource)] }

    func load(
        _ resource: String, _ connection: PostgreSQLConnection
    ) async throws(PostgreSQLError) -> HubPosition? {
        let found = try await connection.query(
            "SELECT revision, mark, number, is_compared FROM \(name) WHERE station = $1 AND resource = $2",
            key(resource))
        guard found.rowCount == 1, let revision = found[0, 0].flatMap({ Int64($0) }),
            let mark = found[0, 1], let number = found[0, 2].flatMap({ Int64($0) })
        else { return nil }
        return HubPosition(
            revision: revision, mark: mark, number: number, isCompared: found[0, 3] == "t")
    }

    /// Exchanges the position, as a part of the transaction that brings the records up to it.
    ///
    /// - Parameter old: nil inserts the first one.
    /// - Returns: false if somebody else has exchanged it meanwhile.
    func exchange(
        _ old: HubPosition?, for new: HubPosition, of resource: String,
        _ transaction: borrowing PostgreSQLTransaction
    ) throws(PostgreSQLError) -> Bool {
        let values: [PostgreSQLValue] = [
            .integer(new.revision), .text(new.mark), .integer(new.number), .text(new.isCompared ? "true" : "false"),
        ]
        guard let old else {
            return try transaction.query(
                """
                INSERT INTO \(name) (station, resource, revision, mark, number, is_compared)
                VALUES ($1, $2, $3::bigint, $4, $5::bigint, $6::boolean) ON CONFLICT DO NOTHING
                """, key(resource) + values
            ).affectedRows == 1
        }
        return try transaction.query(
            """
            UPDATE \(name) SET revision = $3::bigint, mark = $4, number = $5::bigint, is_compared = $6::boolean,
                published_at = now()
            WHERE station = $1 AND resource = $2 AND mark = $7
            """, key(resource) + values + [.text(old.mark)]
        ).affectedRows == 1
    }
}
