import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// A program with typed issues over a store.
struct TypedBench {
    let store: Store
    let siding: Siding
    let origin: ScriptedOrigin
    let provider: StoreProvider
    var issues: Resource<Ticket>

    init(
        version: VersionOrder<Ticket>? = nil,
        searchable: [any PartialKeyPath<Ticket> & Sendable] = [], probes: StoreProbes = StoreProbes()
    ) async throws {
        origin = ScriptedOrigin()
        provider = try StoreProvider()
        var store = try await provider.open(clock: .system)
        store.probes = probes
        self.store = store
        issues = try Resource<Ticket>(
            "issues", from: try Source(baseURL: "https://example.com"), at: "/issues", key: \.id, version: version,
            searchable: searchable)
        siding = try await Siding(
            store: .store(store), resources: [issues], transports: origin,
            environment: Environment(connectivity: TestConnectivity()))
    }

    /// Another process on the same file.
    func otherProcess() async throws -> Siding {
        let path = provider.path
        return try await Siding(
            store: .sqlite(path: path), resources: [issues], transports: origin,
            environment: Environment(connectivity: TestConnectivity()))
    }

    /// Lets the origin answer with these records, and syncs.
    func sync(_ json: String) async throws {
        let fields: HTTPFields = [.contentType: "application/json"]
        origin.set("/issues", .text(json, headerFields: fields))
        _ = try await siding.sync(issues)
    }

    func titles() async throws -> [String] { try await siding.records(of: issues).array().map(\.title) }
}
