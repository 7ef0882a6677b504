// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingTesting

/// Provides a store in a directory of its own.
struct StoreProvider {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    var path: String { directory.path(of: "store.db") }

    func open(clock: WallClock) async throws -> Store {
        try await Store.open(at: path, clock: clock)
    }

    /// The owner lock goes as the kernel would take it; leases, entries and runs stay as they were.
    func crash(_ store: Store, clock: WallClock) async throws -> Store {
        await store.close()
        return try await open(clock: clock)
    }
}
