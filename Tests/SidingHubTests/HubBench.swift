// SPDX-License-Identifier: Apache-2.0
import PostgreSQLTestSupport
import SidingChain
import SidingJSON
import SidingPostgreSQL
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding
@testable import SidingHub

/// A station with the resource `issues`, and a schema of its own in the hub that all tests share.
struct HubBench {
    let server: PostgreSQLServer
    let store: Store
    let pages: Pages
    private(set) var siding: Siding
    private var resources: [AnyResource]
    private let clock: WallClock
    var target: HubTarget
    private let directory: TemporaryDirectory

    /// - Parameters:
    ///   - bench: another station of the same hub.
    ///   - server: the one that all tests share by default.
    init(
        _ station: String = "van-1", beside bench: HubBench? = nil, from file: String? = nil,
        columns: [RecordColumn] = Self.columns, resources names: [String] = ["issues"], clock: WallClock = .system,
        on server: PostgreSQLServer? = nil
    ) async throws {
        self.server = try server ?? bench?.server ?? PostgreSQLServer.shared.get()
        (pages, directory) = (Pages(), try TemporaryDirectory())
        let path = directory.path(of: "station.db")
        if let file { try await Store.open(at: file, access: .readOnly, clock: .system).backup(to: path) }
        self.clock = clock
        store = try await Store.open(at: path, clock: clock)
        target = HubTarget("fleet", to: self.server.settings().address, station: station, resources: names)
        target.schema = bench?.target.schema ?? "t\(UInt64.random(in: .min ... .max))"
        let source = try Source(baseURL: "https://example.com")
        resources = names.map { name in
            var resource = AnyResource(name, from: source, at: "/\(name)", key: "id")
            resource.schema.columns = columns
            (resource.isStable, resource.deletions) = (true, Deletions(byAbsence: true, most: 1))
            return resource
        }
        siding = try await Self.siding(store, resources, pages, clock)
    }

    private static func siding(
        _ store: Store, _ resources: [AnyResource], _ pages: Pages, _ clock: WallClock
    ) async throws -> Siding {
        try await Siding(
            store: .store(store), resources: resources, transports: pages,
            environment: RuntimeEnvironment(connectivity: TestConnectivity(), wallClock: clock))
    }

    /// Declares columns from the next sync on.
    mutating func declare(_ columns: [RecordColumn]) async throws {
        for index in resources.indices { resources[index].schema.columns = columns }
        siding = try await Self.siding(store, resources, pages, clock)
    }

    /// Makes the tables that the next publication would make, partitioned by the hash of the station, as Citus distributes them.
    func partition(into count: Int = 4) async throws {
        let publisher = HubPublisher(of: store, to: target)
        let tables = [("siding_positions", "station"), ("issues", "siding_station")]
        for statement in try await publisher.statements(for: ["issues"], isDistributed: false) {
            guard let (table, column) = tables.first(where: { statement.isCreation(of: $0.0) }) else {
                _ = try await query(statement)
                continue
            }
            _ = try await query("\(statement) PARTITION BY HASH (\(column))")
            for part in 0..<count {
                let values = "FOR VALUES WITH (MODULUS \(count), REMAINDER \(part))"
                _ = try await query("CREATE TABLE @.\(table)_\(part) PARTITION OF @.\(table) \(values)")
            }
        }
    }

    static let columns = [
        RecordColumn("id", .integer), RecordColumn("title", .text), RecordColumn("price", .decimal),
        RecordColumn("body", .json),
    ]

    /// Lets the origin answer with these records, and syncs.
    func sync(_ json: String, _ name: String = "issues") async throws {
        pages.page.withLock { $0 = json }
        for resource in resources where resource.name == name { _ = try await siding.sync(resource) }
    }

    @discardableResult
    func publish(_ change: (inout HubPublisher) -> Void = { _ in }) async throws(HubError) -> HubReport {
        var publisher = HubPublisher(of: store, to: target)
        change(&publisher)
        let report = Mutex(HubReport("issues"))
        try await publisher.publish(["issues"]) { done in report.withLock { $0 = done } }
        return report.withLock { $0 }
    }

    func compare(_ change: (inout HubPublisher) -> Void = { _ in }) async throws(HubError) -> HubComparison {
        var publisher = HubPublisher(of: store, to: target)
        change(&publisher)
        let comparison = Mutex(HubComparison("issues"))
        try await publisher.compare(["issues"]) { done in comparison.withLock { $0 = done } }
        return comparison.withLock { $0 }
    }

    func query(_ sql: String) async throws -> [String] { try await server.rows(sql, in: target.schema) }

    /// What lives in the hub, of all stations.
    func living() async throws -> [String] {
        try await query("SELECT siding_station, siding_key, title, price FROM @.issues_live ORDER BY 1, 2")
    }
}

/// An origin of one page.
final class Pages: TransportFactory {
    let page = Mutex("[]")

    func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        ScriptedTransport { [self] _ in .text(page.withLock { $0 }) }
    }
}

extension String {
    fileprivate func isCreation(of table: String) -> Bool { hasPrefix("CREATE TABLE") && contains(table) }
}
