import SidingSQLite
import SidingTesting

@testable import Siding

/// Two processes on one file, as far as the store can tell, and a clock that a test moves.
struct BudgetBench {
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

    func take(_ store: Store? = nil, hold: Duration = .seconds(120)) async throws -> SlotAnswer {
        try await (store ?? self.store).takeSlots(SlotRequest(source: "api", limits: limits, hold: hold))
    }

    /// The slots; nil where there are none.
    func slots(_ store: Store? = nil, hold: Duration = .seconds(120)) async throws -> [Int64]? {
        guard case .taken(let slots) = try await take(store, hold: hold) else { return nil }
        return slots
    }

    /// In how many seconds there may be room.
    func wait() async throws -> Double? {
        guard case .spent(_, let until, _) = try await take() else { return nil }
        return (until - time.now) / .seconds(1)
    }

    /// Why nothing may go out; nil where something may, which then does.
    func shortage() async throws -> BudgetShortage? {
        guard case .spent(_, _, let shortage) = try await take() else { return nil }
        return shortage
    }

    func settle(_ slots: [Int64], _ ending: SlotSettlement.Ending = .answered(remaining: nil, until: nil))
        async throws
    {
        try await stores[1].settleSlots(
            zip(slots, limits).map { SlotSettlement(slot: $0, of: "api", $1, ending) })
    }

    func settle(_ slots: [Int64], left: Int, for seconds: Int) async throws {
        try await settle(slots, .answered(remaining: left, until: time.now + .seconds(seconds)))
    }

    func held() async throws -> [Int64] {
        try await store.read { try $0.query("SELECT held FROM siding_budgets ORDER BY id") { $0.int(0) } }
    }

    func rows() async throws -> Int64? {
        try await store.read { try $0.first("SELECT count(*) FROM siding_budget_slots") { $0.int(0) } }
    }
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
