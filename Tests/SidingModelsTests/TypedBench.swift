// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
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
    let connectivity: TestConnectivity
    private let directory: TemporaryDirectory
    var issues: Resource<Ticket>

    init(
        version: VersionOrder<Ticket>? = nil,
        searchable: [any PartialKeyPath<Ticket> & Sendable] = [], probes: StoreProbes = StoreProbes(),
        connectivity: TestConnectivity = TestConnectivity()
    ) async throws {
        origin = ScriptedIssues()
        self.connectivity = connectivity
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
            environment: RuntimeEnvironment(connectivity: connectivity))
    }

    /// Another process on the same file.
    func otherProcess() async throws -> Siding {
        try await Siding(
            store: .sqlite(path: store.path), resources: [issues], transports: origin,
            environment: RuntimeEnvironment(connectivity: TestConnectivity()))
    }

    /// Lets the origin answer with these records, and syncs.
    func sync(_ json: String) async throws {
        origin.page.set(json)
        _ = try await siding.sync(issues)
    }

    func titles() async throws -> [String] { try await siding.records(of: issues).array().map(\.title) }
}

/// Answers every GET with one page, and every write with one answer.
struct ScriptedIssues: TransportFactory {
    let page = Mutexed("[]")
    let answer = Mutexed("{}")
    /// The requests that were no GET.
    let writes = Mutexed<[ScriptedTransport.Request]>([])

    func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        ScriptedTransport { request in
            guard request.request.method != .get else { return .text(page.value) }
            writes.change { $0.append(request) }
            return .text(answer.value)
        }
    }
}
