// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingTesting
import Testing

@testable import Siding

extension EngineBench {
    /// Five records on three pages, listed whole once.
    static func listed(
        isStable: Bool = false, _ change: (inout AnyResource) -> Void = { _ in }
    ) async throws -> EngineBench {
        var bench = try await EngineBench()
        bench.resource.deletions = Deletions(byAbsence: true)
        bench.resource.isStable = isStable
        change(&bench.resource)
        #expect(try await bench.sync().result.counters.deleted == 0)
        return bench
    }

    /// The keys of the records that are deleted.
    func tombstones() async throws -> [String] {
        try await store.records(of: "posts", after: nil, limit: 99, deleted: true).map(\.key)
    }

    /// Changes what the three pages list.
    func list(_ first: String, _ second: String = "[3,4]", _ third: String = "[5]") {
        origin.set("/posts", ScriptedOrigin.page(first, next: "/posts?page=2"))
        origin.set("/posts?page=2", ScriptedOrigin.page(second, next: "/posts?page=3"))
        origin.set("/posts?page=3", ScriptedOrigin.page(third))
    }
}
