// SPDX-License-Identifier: Apache-2.0
package import SidingCredentials
internal import SidingPostgreSQL

/// One entry of `publish:`: a PostgreSQL database that gets the records of this station.
package struct HubTarget: Sendable {
    /// As in the config: `fleet`.
    package var name: String
    /// A URI, `postgresql://siding@hub.example.com/fleet`, a connection string, or `service=fleet`
    /// (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING).
    package var address: String
    /// Nil where the server asks for none, or another file has it.
    package var password: Secret?
    /// Who publishes: the first part of each key in the hub.
    package var station: String
    /// The names of the published resources, in the order of the config.
    package var resources: [String]
    /// The share of a resource's records that one comparison may delete in the hub, from 0 to 1; ``Deletions/usualMost`` for those
    /// that it lacks.
    package var mostDeleted: [String: Double] = [:]
    /// How often a service publishes.
    package var every = Self.usualPace
    package static let usualPace = Duration.seconds(60)
    /// The schema of the hub's tables.
    package var schema = Self.usualSchema
    package static let usualSchema = "siding"

    package init(_ name: String, to address: String, password: Secret? = nil, station: String, resources: [String]) {
        (self.name, self.address, self.password) = (name, address, password)
        (self.station, self.resources) = (station, resources)
    }
}

extension HubTarget: Equatable {
    /// A password is the same only in the same load of the config: nobody knows before it is read.
    package static func == (one: HubTarget, other: HubTarget) -> Bool {
        let hasSamePassword = one.password.map { other.password?.isCopy(of: $0) ?? false } ?? (other.password == nil)
        return hasSamePassword
            && (one.name, one.address, one.station, one.schema, one.every)
                == (other.name, other.address, other.station, other.schema, other.every)
            && one.resources == other.resources
    }
}

extension HubTarget {
    /// How to connect.
    ///
    /// - Throws: `Failure` if the password cannot be read.
    func settings() async throws -> PostgreSQLSettings {
        PostgreSQLSettings(
            address: address, password: try await password?.read(), applicationName: "siding/\(station)")
    }
}
