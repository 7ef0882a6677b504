// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingJSON
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing
import TestSupport

@testable import Siding

/// Random origins with parents against what is known of them.
@Suite struct PassModelTests {
    private static let seeds = Proof.choose(short: 24, middle: 48, long: 5_000)

    /// Nothing that lives at the origin is taken for deleted, but where it slipped from parent to parent in two passes, which no
    /// client can see. When the origin is quiet and all parents are there, what is stored is what they have.
    @Test func `no live record is deleted, and in the end no tombstone stands for a live record`() async throws {
        let count = Self.seeds
        var (deleted, blocked) = (0, 0)
        func see(_ run: PassRun) {
            if run.deleted > 0 { deleted += 1 }
            if run.blocked > 0 { blocked += 1 }
        }
        guard try await ModelStores.play(0..<count, see: see, make: PassRun.init) else { return }
        // What hardly ever happens is not tested.
        #expect(deleted > count / 4 && blocked > count / 10, "\(deleted), \(blocked)")
    }
}

/// One history of an origin with parents and its copy.
private struct PassRun: ModelRun {
    let name: String
    let origin: ChangingParents
    let store: Store
    let time: ManualWallClock
    let parents: AnyResource
    var tasks: AnyResource
    var generator: SeededGenerator
    var history: [String] = []
    /// Whether something moved in the passes that ended.
    var passes: [Bool] = []
    var isOpen = false
    var movesAtBegin = 0
    private(set) var (deleted, blocked) = (0, 0)

    init(seed: Int, _ store: Store, _ time: ManualWallClock) throws {
        (self.store, self.time) = (store, time)
        generator = SeededGenerator(seed: UInt64(seed))
        origin = ChangingParents(seed: UInt64(seed))
        var source = Source(name: "blog", baseURL: try HTTPURL("https://api.example.org"))
        source.retry = RetryPolicy(retries: 0)
        var parents = AnyResource("posts_\(seed)", from: source, at: "/posts", key: "id", paging: .none)
        parents.deletions = Deletions(byAbsence: true, most: 1)
        self.parents = parents
        tasks = AnyResource(
            "tasks_\(seed)", from: source, at: "/posts/{post}/tasks", key: "id", paging: .linkHeader)
        let most = [0.1, 0.1, Double.random(in: 0...1, using: &generator)].randomElement(using: &generator) ?? 0
        tasks.deletions = Deletions(byAbsence: true, most: most)
        tasks.isStable = Bool.random(using: &generator)
        tasks.forEach = ForEach(
            parents.name, parents: Bool.random(using: &generator) ? .all : .changed,
            bind: ["post": JSONPath(member: "id")], concurrency: 1)
        name = "seed \(seed), changed \(tasks.forEach?.parents.areChanged ?? false)"
    }

    mutating func play() async throws -> Bool {
        for _ in 0..<10 {
            for _ in 0..<Int.random(in: 0..<5, using: &generator) { origin.state.withLock { $0.change() } }
            let faults = [0, 0, 0, 20].randomElement(using: &generator) ?? 0
            let unrest = [0, 0, 20].randomElement(using: &generator) ?? 0
            origin.state.withLock { ($0.faults, $0.unrest) = (faults, unrest) }
            var options = SyncOptions()
            options.isFull = Int.random(in: 0..<4, using: &generator) == 0
            guard try await sync(options) else { return false }
        }
        origin.state.withLock { $0.restore() }
        var options = SyncOptions()
        (options.acceptsDeletes, options.isFull) = (true, true)
        for _ in 0..<5 { guard try await sync(options) else { return false } }
        let (here, there) = (try await living(), atOrigin)
        if here != there { return fail("here \(here.sorted()), at the origin \(there.sorted())") }
        let report = try await run(SyncOptions())
        return report.result.counters.deleted == 0 ? true : fail("a sync of what did not change: \(report.result)")
    }

    private var atOrigin: Set<Int> { origin.state.withLock { $0.all } }

    private func run(_ options: SyncOptions) async throws -> SyncReport {
        try #require(try await engine().run([parents, tasks], options: options).last)
    }

    private mutating func sync(_ options: SyncOptions) async throws -> Bool {
        time.advance(by: .seconds(4_000))
        let before = try await living()
        try await releaseFetches(of: parents.name, tasks.name)
        let known = try await pass()
        let moves = origin.state.withLock { $0.moves }
        if !(known?.isOpen ?? false) || options.isFull { movesAtBegin = moves }
        let report = try await run(options)
        let (records, now) = origin.state.withLock { ($0.records, $0.moves) }
        let isOver = try await pass().map { !$0.isOpen } ?? false
        if isOver { passes.append(now != movesAtBegin) }
        let counters = report.result.counters
        history.append(
            "\(report.result.outcome?.rawValue ?? "")\(options.isFull ? " full" : "") deleted \(counters.deleted) blocked "
                + "\(counters.deletionsBlocked) moved \(now != movesAtBegin) origin \(records.sorted { $0.key < $1.key }) "
                + "\(report.result.notes)")
        if !options.acceptsDeletes {
            deleted += counters.deleted
            blocked += counters.deletionsBlocked
        }
        let lost = before.subtracting(try await living())
        // Its pages are older than the pass.
        let wentOn = report.result.notes.contains { $0.hasSuffix("of the listings were resumed") }
        return isSafe(lost, counters, options, wentOn: wentOn)
    }

    private func isSafe(
        _ lost: Set<Int>, _ counters: RunCounters, _ options: SyncOptions, wentOn: Bool
    ) -> Bool {
        if lost.count != counters.deleted { return fail("\(lost) are gone, \(counters.deleted) were told") }
        let slipped = lost.intersection(atOrigin)
        let mayHaveSlipped = passes.last == true && passes.dropLast().contains(true)
        if !slipped.isEmpty, !mayHaveSlipped { return fail("\(slipped.sorted()) live") }
        // What pages showed while records moved is not known here.
        guard !options.acceptsDeletes, counters.deleted + counters.deletionsBlocked > 0, passes.last == false, !wentOn
        else {
            return true
        }
        let share = DeletionShare(listed: atOrigin.count, share: tasks.deletions.most)
        return share.fault(deleted: counters.deleted, blocked: counters.deletionsBlocked).map(fail) ?? true
    }

    private func pass() async throws -> PassState? {
        try await store.resourceStates().first { $0.resource == tasks.name }?.pass
    }

    private func living() async throws -> Set<Int> { Set(try await records(of: tasks.name).compactMap { Int($0.key) }) }
}
