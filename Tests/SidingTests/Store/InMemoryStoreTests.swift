import Siding
import Testing

@testable import SidingTesting

@Suite struct InMemoryStoreTests {
    private struct Provider: StoreProvider {
        let ids = Values(["abcd0000000000000000000000", "abcd1111111111111111111111"])

        func open(clock: WallClock) -> any Store { InMemoryStore(clock: clock, entryID: ids.next) }
        func crash(_ store: any Store, clock: WallClock) -> any Store { store }
    }

    @Test func `a prefix that begins several entries is ambiguous, and names them`() async throws {
        let bench = try await ConformanceBench(Provider())
        _ = try await bench.commitFirstPage()
        try await bench.retain()
        let lease = try await bench.add("comments")
        let second = try await bench.retain(resource: "comments", lease: lease)
        let error = await #expect(throws: StoreError.self) {
            try await bench.store.entries(QueueSelection(ids: ["abcd"]))
        }
        #expect(error?.kind == .ambiguous)
        #expect(error?.message.contains("abcd0000, abcd1111") == true)
        #expect(try await bench.store.entries(QueueSelection(ids: ["abcd1"])) == [second])
    }
}
