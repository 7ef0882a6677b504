// SPDX-License-Identifier: Apache-2.0
internal import Siding
package import SidingChain
internal import SidingPostgreSQL

/// What keeps a station from publishing to a hub that it can sign in to.
package struct HubExamination: Sendable, Equatable {
    /// As whom the station signs in.
    package var role = ""
    /// Whether the connection is encrypted.
    package var hasTLS = false
    /// The version of libpq.
    package var libraryVersion = ""
    /// How far the hub's clock is ahead of this one; negative if it is behind.
    package var clockDifference = Duration.zero
    /// The rights that the role lacks: `INSERT, UPDATE on "siding"."issues"`.
    package var missingRights: [String] = []
}

extension HubTarget {
    /// Signs in, and looks what the role may do there; writes nothing.
    package func examine(clock: WallClock = .system) async throws(HubError) -> HubExamination {
        do {
            let connection = try await PostgreSQLConnection.open(settings())
            var examination = HubExamination()
            examination.hasTLS = await connection.hasTLS
            examination.libraryVersion = await connection.libraryVersion
            let begun = clock.now
            let found = try await connection.query("SELECT current_user, extract(epoch FROM clock_timestamp())")
            let ended = clock.now
            examination.role = found[0, 0] ?? ""
            if let seconds = found[0, 1].flatMap({ Double($0) }) {
                examination.clockDifference = Timestamp(secondsSince1970: seconds) - (begun + (ended - begun) / 2)
            }
            examination.missingRights = try await missingRights(connection)
            await connection.close()
            return examination
        } catch {
            throw HubError(error)
        }
    }

    private func missingRights(_ connection: PostgreSQLConnection) async throws(PostgreSQLError) -> [String] {
        let rights = try await connection.query(
            """
            SELECT has_database_privilege(current_database(), 'CREATE'), has_schema_privilege(oid, 'USAGE'),
                has_schema_privilege(oid, 'CREATE')
            FROM (SELECT 1) AS one LEFT JOIN pg_namespace ON nspname = $1
            """, [.text(schema)])
        guard rights[0, 1] != nil else {
            return rights[0, 0] == "t" ? [] : ["CREATE on the database, for the schema \(SQLName(schema))"]
        }
        guard rights[0, 1] == "t" else { return ["USAGE on the schema \(SQLName(schema))"] }
        let positions = HubPositions(schema: schema, station: station)
        let tables = resources.map { HubTable(schema: schema, resource: $0, columns: []) }
        // What a publication asks, and makes if it is missing.
        let written = [positions.name] + tables.map(\.name)
        let names = written + tables.map(\.viewName)
        let found = try await connection.query(
            """
            SELECT to_regclass(name) IS NOT NULL, has_table_privilege(to_regclass(name), 'SELECT'),
                has_table_privilege(to_regclass(name), 'INSERT'), has_table_privilege(to_regclass(name), 'UPDATE')
            FROM unnest($1::text[]) WITH ORDINALITY AS names (name, place) ORDER BY place
            """, [.texts(names)])
        var (missing, absent) = ([String](), [String]())
        for (index, name) in names.enumerated() {
            guard found[index, 0] == "t" else {
                absent.append(name)
                continue
            }
            guard index < written.count else { continue }
            let lacking = zip(["SELECT", "INSERT", "UPDATE"], 1...).filter { found[index, $1] != "t" }.map(\.0)
            if !lacking.isEmpty { missing.append("\(lacking.joined(separator: ", ")) on \(name)") }
        }
        if !absent.isEmpty, rights[0, 2] != "t" {
            missing.append("CREATE on the schema \(SQLName(schema)), for \(absent.joined(separator: ", "))")
        }
        return missing
    }
}
