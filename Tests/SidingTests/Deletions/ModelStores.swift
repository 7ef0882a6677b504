import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// The stores that seeded runs play in, each run with resources of its own: one file for fifty runs.
///
/// SQLite reads the whole schema again after each view that is made, so that one file for thousands would take hours.
struct ModelStores {
    private static let runs = 50

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
}
