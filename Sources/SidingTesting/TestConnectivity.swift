// SPDX-License-Identifier: Apache-2.0
public import SidingChain
internal import SidingSynchronization

/// A connectivity whose route a test sets.
public final class TestConnectivity: Connectivity {
    private let usable: Mutex<Bool>
    private let asked = Mutex(0)

    /// - Parameter hasUsableRoute: whether there is a route at first.
    public init(hasUsableRoute: Bool = true) {
        usable = Mutex(hasUsableRoute)
    }

    /// Removes the route, or restores it.
    public func set(hasUsableRoute: Bool) {
        usable.withLock { $0 = hasUsableRoute }
    }

    /// The number of lookups.
    public var lookups: Int { asked.withLock { $0 } }

    /// What was last set; each call counts as a lookup.
    public func hasUsableRoute() -> Bool {
        asked.withLock { $0 += 1 }
        return usable.withLock { $0 }
    }
}
