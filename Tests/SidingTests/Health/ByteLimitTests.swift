// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// Limits of bytes as the store counts them.
@Suite struct ByteLimitTests {
    private static func bytes(_ rate: String) throws -> RateLimit {
        try RateLimit(PathPattern("**"), rate: RequestRate(rate, unit: .bytes))
    }

    @Test func `bytes and requests of one pattern and time are counted apart`() async throws {
        let bench = try await RateLimitBench(try Self.bytes("1KiB/m"), try RateLimit("**", "3/m"))
        for _ in 0..<2 {
            try await bench.end(try #require(try await bench.reserve()))
            try await bench.spend(500)
        }
        #expect(try await bench.used() == [1_000, 2])
        try await bench.end(try #require(try await bench.reserve()))
        guard case .exhausted(let limit, _, _) = try await bench.ask() else {
            Issue.record("the three requests are used up")
            return
        }
        #expect(limit.unit == .requests)
        bench.time.advance(by: .seconds(61))
        #expect(try await bench.used() == [0, 0])
    }

    @Test func `a request is sent while fewer bytes were counted, and none once they are carried`() async throws {
        let bench = try await RateLimitBench(try Self.bytes("1KiB/m"))
        _ = try #require(try await bench.reserve())
        try await bench.spend(1_023)
        // Its bytes are unknown until it has ended, so it counts for none.
        for _ in 0..<5 { _ = try #require(try await bench.reserve()) }
        try await bench.spend(5_000)
        #expect(try await bench.exhaustion() == .rate)
        #expect(try await bench.used() == [6_023])
    }

    @Test func `two processes share what may be carried`() async throws {
        let bench = try await RateLimitBench(try Self.bytes("1MiB/d"))
        for store in bench.stores {
            _ = try #require(try await bench.reserve(store))
            try await bench.spend(600 << 10, store)
        }
        for store in bench.stores { #expect(try await bench.reserve(store) == nil) }
        #expect(try await bench.store.rateLimits().map(\.used) == [1_200 << 10])
        #expect(try await bench.store.rateLimits().map(\.rate?.unit) == [.bytes])
    }

    @Test(
        arguments: [([600, 600], 31.0), ([100, 5_000], 61), ([5_000, 100], 31), ([1_024, 0], 31)] as [([Int], Double)])
    func `there is room again once enough bytes have left the window`(_ spent: [Int], _ wait: Double) async throws {
        let bench = try await RateLimitBench(try Self.bytes("1KiB/m"))
        _ = try await bench.reserve()
        try await bench.spend(spent[0])
        bench.time.advance(by: .seconds(30))
        if spent[1] > 0 { try await bench.spend(spent[1]) }
        #expect(try await bench.wait() == wait)
        bench.time.advance(by: .seconds(wait))
        #expect(try await bench.reserve() != nil)
    }

    @Test func `a raised limit has room at once, and a lowered one counts what was carried before`() async throws {
        var bench = try await RateLimitBench(try Self.bytes("1KiB/h"))
        _ = try await bench.reserve()
        try await bench.spend(1_500)
        #expect(try await bench.reserve() == nil)
        bench.limits = [try Self.bytes("2KiB/h")]
        #expect(try await bench.reserve() != nil)
        bench.limits = [try Self.bytes("1KiB/h")]
        #expect(try await bench.reserve() == nil)
    }
}
