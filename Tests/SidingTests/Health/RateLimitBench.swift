// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingSQLite
import SidingTesting

@testable import Siding

/// Two processes on one file, as far as the store can tell, and a clock that a test moves.
struct RateLimitBench {
    let directory: TemporaryDirectory
    let time = ManualWallClock()
    let stores: [Store]
    var limits: [RateLimit]

    init(_ limits: RateLimit...) async throws {
        directory = try TemporaryDirectory()
        let path = directory.path(of: "test.db")
        stores = [
            try await Store.open(at: path, clock: time.clock),
            try await Store.open(at: path, clock: time.clock),
        ]
        self.limits = limits
    }

    var store: Store { stores[0] }

    func ask(_ store: Store? = nil, timeout: Duration = .seconds(120)) async throws -> ReservationAnswer {
        try await (store ?? self.store).reserve(under: limits, of: "api", timeout: timeout)
    }

    /// The reservations of a request, one under each limit; nil where a limit is exhausted.
    func reserve(_ store: Store? = nil, timeout: Duration = .seconds(120)) async throws -> Reserved? {
        guard case .reserved(let moments) = try await ask(store, timeout: timeout) else { return nil }
        return Reserved(moments: moments, timeout: timeout)
    }

    /// In how many seconds there may be room.
    func wait() async throws -> Double? {
        guard case .exhausted(_, let until, _) = try await ask() else { return nil }
        return (until - time.now) / .seconds(1)
    }

    /// Why nothing may go out; nil where something may, which then does.
    func exhaustion() async throws -> RateLimitExhaustion? {
        guard case .exhausted(_, _, let reason) = try await ask() else { return nil }
        return reason
    }

    func end(_ reserved: Reserved, _ outcome: RequestUsage.QuotaReport = .answered(nil)) async throws {
        try await stores[1].record(
            zip(reserved.moments, limits).filter { $1.unit == .requests }.map {
                RequestUsage(reservation: $0, timeout: reserved.timeout, source: "api", limit: $1, outcome: outcome)
            })
    }

    func end(_ reserved: Reserved, left: Int, for seconds: Int) async throws {
        try await end(reserved, .answered(ReportedQuota(remaining: left, resetAt: time.now + .seconds(seconds))))
    }

    /// Records the bytes of an attempt under each limit of bytes.
    func spend(_ bytes: Int, _ store: Store? = nil) async throws {
        try await (store ?? self.store).record(
            limits.filter { $0.unit == .bytes }.map {
                RequestUsage(reservation: time.now, timeout: .zero, source: "api", limit: $0, outcome: .bytes(bytes))
            })
    }

    /// How many requests, or bytes, count under each limit.
    func used() async throws -> [Int] {
        let now = time.now
        return try await store.read { snapshot in
            try RateLimitsTable.load(snapshot).map { stored in
                var state = stored
                state.advance(to: now)
                return state.used
            }
        }
    }

    /// How many buckets and deadlines have a count.
    func counts() async throws -> Int {
        try await store.read { snapshot in
            try RateLimitsTable.load(snapshot).map { $0.ended.count + $0.underWay.count }.reduce(0, +)
        }
    }
}

/// What a request has reserved.
struct Reserved {
    var moments: [Timestamp]
    var timeout: Duration
}

/// Numbers that are the same each time.
struct SeededNumbers {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func below(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(limit))
    }
}
