// SPDX-License-Identifier: Apache-2.0
public import Siding
public import SidingCredentials
internal import SidingPostgreSQL

/// A PostgreSQL database that gets the records of this station, as one entry of `publish:` declares it.
///
/// ```swift
/// let hub = HubTarget(
///     "fleet", to: "postgresql://siding@hub.example.com/fleet", password: Secret("the hub's") { try readPassword() },
///     station: "van-17", resources: [issues, readings])
/// ```
public struct HubTarget: Sendable {
    /// A short name, such as `fleet`: the file stores under it how far it has published.
    public var name: String
    /// A URI, `postgresql://siding@hub.example.com/fleet`, a connection string, or `service=fleet`
    /// (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING). Without an `sslmode`, a hub on another machine
    /// needs TLS with a trusted certificate (`verify-full`).
    public var address: String
    /// Read at each connection; nil where the server asks for none, or `PGPASSWORD`, `~/.pgpass` or the service has it.
    public var password: Secret?
    /// Who publishes: the first part of each key in the hub. Each file has its own, and keeps it.
    public var station: String
    /// The names of the published resources, in their order.
    public var resources: [String]
    /// The share of a resource's records that one comparison may delete in the hub, from 0 to 1; 0.1 for those
    /// that are not named. Up to ten deletions, never more than half of the records, pass whatever the share.
    public var mostDeleted: [String: Double] = [:]
    /// How often a service publishes: every 60 seconds by default.
    public var every: Duration = Self.usualPace
    package static let usualPace = Duration.seconds(60)
    /// The schema of the hub's tables: `siding` by default.
    public var schema: String = Self.usualSchema
    package static let usualSchema = "siding"

    /// A hub that gets these resources.
    ///
    /// - Parameters:
    ///   - name: under which the file stores how far it has published.
    ///   - address: a URI, a connection string or `service=NAME`.
    ///   - password: for the database; nil where it needs none, or libpq finds it.
    ///   - station: the name of this file in the hub.
    ///   - resources: what is published. The ``Deletions/most`` of each is the share of its records that a comparison may delete
    ///     in the hub.
    public init(
        _ name: String, to address: String, password: Secret? = nil, station: String, resources: [any SyncedResource]
    ) {
        self.init(name, to: address, password: password, station: station, resources: resources.map(\.name))
        let shares = resources.map { ($0.name, $0.untyped.deletions.most) }
        mostDeleted = Dictionary(shares) { first, _ in first }
    }

    package init(_ name: String, to address: String, password: Secret? = nil, station: String, resources: [String]) {
        (self.name, self.address, self.password) = (name, address, password)
        (self.station, self.resources) = (station, resources)
    }
}

extension HubTarget: Equatable {
    /// Passwords are equal only if one is a copy of the other: nobody knows before they are read.
    public static func == (one: HubTarget, other: HubTarget) -> Bool {
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
