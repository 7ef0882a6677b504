// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingTesting
import Testing
import TestSupport

@testable import Siding

/// The stores that seeded runs play in, each run with resources of its own: one file for ten runs.
///
/// SQLite reads the whole schema again after each view that is made, and each run looks at all resources, so that more of
/// them take longer.
struct ModelStores {
    private static let runs = 10

    private let clock: WallClock
    private let directory: TemporaryDirectory
    private var file: Store?

    init(clock: WallClock) throws {
        self.clock = clock
        directory = try TemporaryDirectory()
    }

    /// The store for the run of `seed`; runs come in order.
    mutating func store(for seed: Int) async throws -> Store {
        if file == nil || seed % Self.runs == 0 {
            await file?.close()
            let path = directory.path(of: "\(seed).db")
            file = try await Store.open(at: path, durability: .normal, clock: clock)
        }
        return try #require(file)
    }

    func close() async { await file?.close() }

    /// Plays a run of each seed, until one fails; `see` gets those that did not. With ``Proof/seed`` plays only that one.
    ///
    /// - Returns: whether all were played, and none failed.
    static func play<Run: ModelRun>(_ seeds: Range<Int>, see: (Run) -> Void, make: Maker<Run>) async throws -> Bool {
        let time = ManualWallClock()
        var stores = try ModelStores(clock: time.clock)
        for seed in seeds where Proof.seed.map({ $0 == seed }) ?? true {
            var run = try make(seed, try await stores.store(for: seed), time)
            guard try await run.play() else { return false }
            see(run)
        }
        await stores.close()
        return Proof.seed == nil
    }

    typealias Maker<Run> = (_ seed: Int, _ store: Store, _ time: ManualWallClock) throws -> Run
}

/// One random history of an origin and its copy.
protocol ModelRun {
    associatedtype Origin: TransportFactory

    var origin: Origin { get }
    var store: Store { get }
    var time: ManualWallClock { get }
    /// What a failure shows first: the seed.
    var name: String { get }
    /// What happened, for the message of a failure.
    var history: [String] { get set }

    /// - Returns: false if it failed, which is recorded then.
    mutating func play() async throws -> Bool
}

extension ModelRun {
    var environment: RuntimeEnvironment {
        RuntimeEnvironment(connectivity: TestConnectivity(), jitter: .none, clock: ManualClock(), wallClock: time.clock)
    }

    /// - Parameter store: another one than that of the run.
    func engine(over store: Store? = nil) -> SyncEngine {
        SyncEngine(store: store ?? self.store, transports: origin, environment: environment)
    }

    /// Fetches that the origin refused are tried again.
    func releaseFetches(of resources: String...) async throws {
        let parked = QueueSelection(resources: resources, states: [.parked], kinds: [.fetch])
        _ = try await store.perform(.release, on: parked)
    }

    /// The stored records; none if there was no sync yet.
    func records(of resource: String, deleted: Bool = false) async throws -> [Record] {
        guard try await store.freshness(of: resource) != nil else { return [] }
        return try await store.records(of: resource, after: nil, limit: 999, deleted: deleted)
    }

    /// Whether just these are stored.
    func isEqual(_ stored: [Record], to wanted: [String]) -> Bool {
        let stored = stored.map { String(decoding: $0.body, as: UTF8.self) }
        guard stored.sorted() != wanted.sorted() else { return true }
        let (missing, surplus) = (Set(wanted).subtracting(stored).sorted(), Set(stored).subtracting(wanted).sorted())
        return fail("missing \(missing), surplus \(surplus)")
    }

    @discardableResult
    func fail(_ what: String) -> Bool {
        Issue.record("\(name): \(what)\n\(history.joined(separator: "\n"))")
        return false
    }
}
