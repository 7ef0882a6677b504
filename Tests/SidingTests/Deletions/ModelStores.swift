import SidingTesting
import Testing

@testable import Siding

/// The stores that seeded runs play in, each run with resources of its own: one file for fifty runs, and now and then memory.
///
/// SQLite reads the whole schema again after each view that is made, so that one file for thousands would take hours.
struct ModelStores {
    private static let runs = 50

    private let clock: WallClock
    private var memory: InMemoryStore
    private let directory: TemporaryDirectory
    /// Which run has a store in memory: one in so many.
    private let share: Int
    private var file: SQLiteStore?

    init(memoryForOneIn share: Int, clock: WallClock) throws {
        (self.share, self.clock, memory) = (share, clock, InMemoryStore(clock: clock))
        directory = try TemporaryDirectory()
    }

    /// The store for the run of `seed`; runs come in order.
    mutating func store(for seed: Int) async throws -> any Store {
        if file == nil || seed % Self.runs == 0 {
            await file?.close()
            let path = directory.path(of: "\(seed).db")
            file = try await SQLiteStore.open(at: path, durability: .normal, clock: clock)
            memory = InMemoryStore(clock: clock)
        }
        return seed % share == 0 ? memory : try #require(file)
    }

    func close() async { await file?.close() }
}
