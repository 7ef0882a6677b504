// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingTesting

@testable import Siding

extension Store {
    /// A store in a directory that lives as long as the store.
    static func temporary(clock: WallClock = .system) async throws -> Store {
        let directory = try TemporaryDirectory()
        var store = try await Store.open(at: directory.path(of: "store.db"), clock: clock)
        store.probes.didLookUp = { _ in withExtendedLifetime(directory) {} }
        return store
    }
}
