// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing
import TestSupport

@testable import Siding

/// Random origins under every configuration that Docs/Config.md calls safe.
@Suite struct StormTests {
    private static let seeds = Proof.choose(short: 5, middle: 12, long: 183)

    @Test(arguments: StormKind.allCases)
    func `no live record is ever deleted, and three syncs after the storm nothing is missing`(
        _ kind: StormKind
    ) async throws {
        var (incomplete, delivered) = (0, 0)
        func see(_ storm: Storm) {
            incomplete += storm.incomplete
            delivered += storm.delivered
        }
        let isPlayed = try await ModelStores.play(0..<Self.seeds, see: see) { try Storm(kind, $0, $1, $2) }
        guard isPlayed else { return }
        // What hardly ever happens is not tested. Pages after the last record, and numbers, do not depend on what the page says.
        if kind != .lastRecord, !kind.isNumbered { #expect(incomplete > Self.seeds / 4) }
        #expect(delivered > 3 * Self.seeds)
    }
}

private struct Storm: ModelRun {
    let name: String
    let origin: StormOrigin
    let resource: AnyResource
    let writer: StormWriter
    let time: ManualWallClock
    let store: Store
    var generator: SeededGenerator
    var history: [String] = []
    private(set) var (incomplete, delivered) = (0, 0)

    init(_ kind: StormKind, _ seed: Int, _ store: Store, _ time: ManualWallClock) throws {
        (self.store, self.time, name) = (store, time, "\(kind), seed \(seed)")
        generator = SeededGenerator(seed: UInt64(seed) &+ 77)
        origin = StormOrigin(kind, seed: UInt64(seed), time)
        // One source each: the gate of one storm is not that of another.
        var source = Source(name: "storm_\(seed)", baseURL: try HTTPURL("https://api.example.org"))
        source.retry = RetryPolicy(retries: 0)
        resource = try kind.resource("posts_\(seed)", from: source)
        let environment = RuntimeEnvironment(
            connectivity: TestConnectivity(), jitter: .none, clock: ManualClock(), wallClock: time.clock)
        let writer = try StormWriter(to: resource, at: origin, store, environment, seed: UInt64(seed))
        self.writer = writer
        origin.meanwhile.withLock { $0 = { await writer.doSomething() } }
    }

    mutating func play() async throws -> Bool {
        for _ in 0..<10 {
            for _ in 0..<Int.random(in: 0..<5, using: &generator) { origin.change() }
            let wind = [0, 10, 30].map { [0, $0].randomElement(using: &generator) ?? 0 }
            let lies = Int.random(in: 0..<3, using: &generator) == 0 ? 40 : 0
            let troubles = StormTrouble.allCases.filter { _ in Int.random(in: 0..<6, using: &generator) == 0 }
            let dies = Int.random(in: 0..<4, using: &generator) == 0
            origin.state.withLock {
                ($0.faults, $0.lies, $0.unrest, $0.troubles) = (wind[1], lies, wind[2], Set(troubles))
                if dies { $0.generation += 1 }
            }
            time.advance(by: .seconds([1, 5, 90, 4000].randomElement(using: &generator) ?? 1))
            var options = SyncOptions()
            options.isFull = Int.random(in: 0..<10, using: &generator) == 0
            let killedAt =
                Int.random(in: 0..<6, using: &generator) == 0 ? Int.random(in: 1...4, using: &generator) : nil
            guard try await sync(options, killedAt: killedAt) else { return false }
        }
        origin.state.withLock { ($0.faults, $0.lies, $0.unrest, $0.troubles) = (0, 0, 0, []) }
        origin.meanwhile.withLock { $0 = {} }
        for _ in 0..<4 {
            // Records that were verified are not asked about again within a day.
            time.advance(by: .seconds(90_000))
            guard try await isDrained() else { return false }
            guard try await sync(SyncOptions()) else { return false }
        }
        delivered = origin.state.withLock { $0.arrivals.effects.count }
        return isEqual(try await records(of: resource.name), to: origin.state.withLock { $0.records.map(\.json) })
    }

    private mutating func isDrained() async throws -> Bool {
        for _ in 0..<40 {
            guard let first = try await writer.waiting().first else { return true }
            history.append("\(first.shortID) waits: \(first.state) \(first.reason?.rawValue ?? "")")
            try await writer.work()
            history += await writer.takeHistory()
            time.advance(by: .seconds(4_000))
        }
        return fail("writes wait for ever: \(try await writer.waiting())")
    }

    /// - Parameter page: the page at whose commit the process ends.
    private mutating func sync(_ options: SyncOptions, killedAt page: Int? = nil) async throws -> Bool {
        try await releaseFetches(of: resource.name)
        var dying = store
        if let page {
            dying.probes = StoreProbes { (number) throws(StoreError) in
                if number == page { throw StoreError(.inputOutput, "killed") }
            }
        }
        do throws(StoreError) {
            let report = try await engine(over: dying).sync(resource, options: options)
            if report.result.outcome == .partial { incomplete += 1 }
            let (result, cursor) = (report.result, try await store.cursor(of: resource.name)?.value ?? "none")
            history.append(
                "\(result.outcome?.rawValue ?? "") \(result.error?.message ?? "") \(result.notes) cursor \(cursor)")
        } catch {
            history.append("killed at page \(page ?? 0)")
        }
        history += await writer.takeHistory()
        return try await isSafe()
    }

    private func isSafe() async throws -> Bool {
        let living = Set(origin.state.withLock { $0.records.map { String($0.id) } })
        let wrong = try await records(of: resource.name, deleted: true).filter { $0.pending == 0 }.map(\.key)
            .filter(living.contains)
        guard wrong.isEmpty else {
            let own = try await writer.events(of: wrong)
            return fail("\(wrong) live at the origin and were deleted: \(own)")
        }
        let shown = try await records(of: resource.name)
        let faults = try await writer.fault(in: Dictionary(shown.map { ($0.key, $0) }) { first, _ in first })
        return faults.map(fail) ?? true
    }
}
