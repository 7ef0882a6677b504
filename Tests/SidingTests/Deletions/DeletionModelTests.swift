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

/// Random origins against what is known of them.
@Suite struct DeletionModelTests {
    private static let seeds = Proof.choose(short: 32, middle: 80, long: 20_000)

    /// Nothing that lives at the origin is taken for deleted, but where it slipped from page to page in two listings in
    /// succession, which no client can see. When the origin is quiet again, what is stored is what it has.
    @Test func `no live record is deleted, and in the end no tombstone stands for a live record`() async throws {
        let count = Self.seeds
        var seen = Seen()
        guard try await ModelStores.play(0..<count, see: { seen.add($0) }, make: DeletionRun.init) else { return }
        // What hardly ever happens is not tested.
        #expect(seen.paged > count * 3 / 4 && seen.deleted > count / 5 && seen.blocked > count / 4, "\(seen)")
    }

    private struct Seen {
        var (paged, deleted, blocked) = (0, 0, 0)

        mutating func add(_ run: DeletionRun) {
            if run.mostPages >= 3 { paged += 1 }
            if run.deleted > 0 { deleted += 1 }
            if run.blocked > 0 { blocked += 1 }
        }
    }
}

/// One history of an origin and its copy.
private struct DeletionRun: ModelRun {
    let name: String
    let origin: ChangingOrigin
    let store: Store
    let time: ManualWallClock
    var resource: AnyResource
    var generator: SeededGenerator
    var history: [String] = []
    /// The complete listings, the newest last: whether the origin's pages moved meanwhile, and what it had at their end.
    var listings: [(isMoved: Bool, keys: Set<String>)] = []
    var completedAt: Timestamp?
    var local: Set<String> = []
    private(set) var (mostPages, deleted, blocked) = (0, 0, 0)

    init(seed: Int, _ store: Store, _ time: ManualWallClock) throws {
        (self.store, self.time) = (store, time)
        generator = SeededGenerator(seed: UInt64(seed))
        let isStable = Bool.random(using: &generator)
        name = "seed \(seed), stable \(isStable)"
        origin = ChangingOrigin(seed: UInt64(seed), isStable: isStable)
        var source = Source(name: "blog", baseURL: try HTTPURL("https://api.example.org"))
        source.retry = RetryPolicy(retries: 0)
        resource = AnyResource("posts_\(seed)", from: source, at: "/posts", key: "id", paging: .linkHeader)
        resource.deletions = Deletions(
            byAbsence: true,
            most: [0, 0.1, Double.random(in: 0...1, using: &generator)].randomElement(using: &generator) ?? 0)
        resource.records = .root
        resource.isStable = isStable
    }

    mutating func play() async throws -> Bool {
        for _ in 0..<10 {
            for _ in 0..<Int.random(in: 0..<6, using: &generator) { change() }
            if Int.random(in: 0..<8, using: &generator) == 0 { origin.state.withLock { $0.removeMany() } }
            if Int.random(in: 0..<8, using: &generator) == 0 { try await writeLocally() }
            let (faults, unrest) = (
                Bool.random(using: &generator) ? 0 : Int.random(in: 0..<30, using: &generator),
                [0, 0, 10, 40].randomElement(using: &generator) ?? 0
            )
            origin.state.withLock { ($0.faults, $0.unrest) = (faults, unrest) }
            guard try await sync(options()) else { return false }
        }
        origin.state.withLock { ($0.faults, $0.unrest) = (0, 0) }
        var options = SyncOptions()
        options.acceptsDeletes = true
        // The first may end a listing that began before, the second ask for unknown pages; then three count.
        for _ in 0..<5 { guard try await sync(options) else { return false } }
        let stored = try await records(of: resource.name).filter { !local.contains($0.key) }
        let wanted = origin.state.withLock { $0.records.map { #"{"id":\#($0.id),"v":\#($0.version)}"# } }
        let isRight = isEqual(stored, to: wanted)
        let report = try await engine().sync(resource)
        let counters = report.result.counters
        // The last page is asked for whole where its 304 does not say that nothing leads on.
        let isQuiet = counters.inserted + counters.updated + counters.deleted == 0 && counters.pages > 0
        if !isQuiet { fail("a sync of what did not change: \(report.result)") }
        return isRight && isQuiet
    }

    private mutating func options() -> SyncOptions {
        var options = SyncOptions()
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: options.isFull = true
        case 1: options.limit = Int.random(in: 1..<9, using: &generator)
        case 2: options.acceptsDeletes = true
        default: break
        }
        return options
    }

    private mutating func change() {
        let isStable = origin.isStable
        // A key that comes back while its page is not looked at is not seen, and is shown the next time.
        origin.state.withLock { $0.change(isStable: isStable, restores: !isStable) }
    }

    private mutating func writeLocally() async throws {
        let key = String(1000 + local.count)
        let bytes = Array(#"[{"id":\#(key)}]"#.utf8)
        let slices = try bytes.withUnsafeBytes { page in
            try PageReader(records: nil, key: resource.key).read(page).records
        }
        _ = try await store.apply(
            RecordChanges(
                resource: resource.name, source: "blog", definition: ResourceDefinition(resource), bytes: bytes,
                rows: slices.map { .init(slice: $0, expectation: .anything) }))
        local.insert(key)
    }

    // MARK: Looking

    private mutating func sync(_ options: SyncOptions) async throws -> Bool {
        time.advance(by: .seconds(60))
        let before = try await living()
        try await releaseFetches(of: resource.name)
        let moves = origin.state.withLock { $0.movesAtFirstPage }
        let report = try await engine().sync(resource, options: options)
        // A listing of its own is none of those that are followed.
        if options.limit != nil { origin.state.withLock { $0.movesAtFirstPage = moves } }
        let (records, isMoved) = origin.state.withLock { state in
            (state.records.map { (key: String($0.id), version: $0.version) }, state.moves != state.movesAtFirstPage)
        }
        history.append(
            "\(report.result.outcome?.rawValue ?? "") \(options.limit.map { "limit \($0)" } ?? "")"
                + "\(options.isFull ? "full" : "")\(options.acceptsDeletes ? "accepts" : "") "
                + "deleted \(report.result.counters.deleted) blocked \(report.result.counters.deletionsBlocked) "
                + "moved \(isMoved) origin \(records.map { "\($0.key):\($0.version)" }) \(report.result.notes)")
        if let completed = try await state()?.completedAt, completed != completedAt {
            completedAt = completed
            listings.append((isMoved, Set(records.map(\.key))))
        }
        mostPages = max(mostPages, report.result.counters.pages)
        if !options.acceptsDeletes {
            deleted += report.result.counters.deleted
            blocked += report.result.counters.deletionsBlocked
        }
        return try await isSafe(before, report, options)
    }

    private mutating func isSafe(
        _ before: Set<String>, _ report: SyncReport, _ options: SyncOptions
    ) async throws -> Bool {
        let now = try await living()
        let lost = before.subtracting(now)
        let atOrigin = Set(origin.state.withLock { $0.records.map { String($0.id) } })
        // Slipped away in the last listing, and before that as well, or truly gone then.
        let unseen = lost.intersection(atOrigin).filter { key in
            guard !origin.isStable, let last = listings.last, last.isMoved else { return true }
            return listings.dropLast().last.map { !$0.isMoved && $0.keys.contains(key) } ?? true
        }
        // What was first seen in this run may have gone in it.
        if lost.count > report.result.counters.deleted {
            return fail("\(lost) are gone, \(report.result.counters.deleted) were told")
        }
        if !lost.isDisjoint(with: local) { return fail("our own \(lost.intersection(local)) were deleted") }
        if !unseen.isEmpty { return fail("\(unseen) live") }
        return isGuarded(lost.count, report.result.counters.deletionsBlocked, options)
    }

    /// Whether what went, or was blocked, is just what the share that was drawn allows.
    private func isGuarded(_ lost: Int, _ blocked: Int, _ options: SyncOptions) -> Bool {
        // What pages showed while records moved is not known here.
        guard !options.acceptsDeletes, lost + blocked > 0, listings.last?.isMoved == false else { return true }
        let share = DeletionShare(
            listed: origin.state.withLock { $0.records.count }, share: resource.deletions.most)
        return share.fault(deleted: lost, blocked: blocked).map(fail) ?? true
    }

    private func state() async throws -> ResourceState? {
        try await store.resourceStates().first { $0.resource == resource.name }
    }

    private func living() async throws -> Set<String> { Set(try await records(of: resource.name).map(\.key)) }
}
