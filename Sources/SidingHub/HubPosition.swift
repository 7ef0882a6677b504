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

/// What is done with a resource, by the two sides of its position.
enum HubDecision: Equatable {
    /// Continue behind the hub's position; nil: there is none yet.
    case proceed(HubPosition?)
    /// Send all records, or those behind the hub's position, and delete those of the station that its file does not have.
    case compare(from: HubPosition?, sendsAll: Bool, because: String)
    case refuse(String)

    /// - Parameters:
    ///   - hub: the position that the hub has.
    ///   - file: the one that the file knows.
    ///   - adopts: whether the operator says that this file is the station from now on.
    init(hub: HubPosition?, file: Publication.Position?, resource: PublishedResource, adopts: Bool) {
        let marks = file?.marks ?? []
        switch hub {
        case nil where file?.mark == nil: self = .proceed(nil)
        case nil where adopts:
            self = .compare(from: nil, sendsAll: true, because: "the hub had no position of this station")
        case nil:
            self = .refuse(
                "the hub has no position of this station, though this file has published there: "
                    + "the hub was restored, or is another one")
        case let hub? where !marks.contains(hub.mark):
            let why =
                "another file has published under this station's name"
                + (marks.isEmpty ? "" : ": this one was copied, or the hub or it was restored from a backup")
            self = adopts ? .compare(from: hub, sendsAll: true, because: why) : .refuse(why)
        case let hub? where adopts: self = .compare(from: hub, sendsAll: true, because: "--adopt asks for it")
        case let hub? where hub.number != resource.number:
            self = .compare(from: hub, sendsAll: true, because: "the resource was forgotten and made again")
        // Before the first transaction is known to be committed, its columns are not known either.
        case let hub? where file?.mark != nil && file?.columns != resource.columnsDigest:
            self = .compare(from: hub, sendsAll: true, because: "its columns have changed")
        case let hub? where hub.revision < resource.forgotten && hub.isCompared:
            self = .compare(
                from: hub, sendsAll: false, because: "deletions since the last publication are no longer stored")
        case let hub?: self = .proceed(hub)
        }
    }
}

extension Publication.Position {
    /// What the hub may have after transactions of this file.
    var marks: [String] { (mark.map { [$0] } ?? []) + next }
}
