// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingTesting
import Testing

@testable import Siding
@testable import SidingModels

/// A program with typed issues over a store.
struct TypedBench {
    let store: Store
    let siding: Siding
    let origin: ScriptedIssues
    private let directory: TemporaryDirectory
    var issues: Resource<Ticket>

    init(
        version: VersionOrder<Ticket>? = nil,
        searchable: [any PartialKeyPath<Ticket> & Sendable] = [], probes: StoreProbes = StoreProbes()
    ) async throws {
        origin = ScriptedIssues()
        directory = try TemporaryDirectory()
        var store = try await Store.open(at: directory.path(of: "store.db"), clock: .system)
        store.probes = probes
        self.store = store
        issues = try Resource<Ticket>(
            "issues", from: try Source(baseURL: "https://example.com"), at: "/issues", key: \.id,
            searchable: searchable)
        issues.version = version
        siding = try await Siding(
            store: .store(store), resources: [issues], transports: origin,
            environment: Environment(connectivity: TestConnectivity()))
    }

    /// Another process on the same file.
    func otherProcess() async throws -> Siding {
        try await Siding(
            store: .sqlite(path: store.path), resources: [issues], transports: origin,
            environment: Environment(connectivity: TestConnectivity()))
    }

    /// Lets the origin answer with these records, and syncs.
    func sync(_ json: String) async throws {
        origin.page.set(json)
        _ = try await siding.sync(issues)
    }

    func titles() async throws -> [String] { try await siding.records(of: issues).array().map(\.title) }
}

/// Answers every request with one page.
struct ScriptedIssues: TransportFactory {
    let page = Mutexed("[]")

    func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        ScriptedTransport { _ in .text(page.value) }
    }
}
