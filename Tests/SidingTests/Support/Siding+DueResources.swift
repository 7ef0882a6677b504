// SPDX-License-Identifier: Apache-2.0
import SidingChain

@testable import Siding

extension Siding {
    /// The resources that the service would sync now.
    func dueResources() async throws(StoreError) -> [AnyResource] {
        let now = wallClock.now
        return try await nextSyncs(at: now).filter { $0.next.isDue(at: now) }.map(\.resource)
    }
}
