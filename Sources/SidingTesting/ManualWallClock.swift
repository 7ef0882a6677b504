// SPDX-License-Identifier: Apache-2.0
internal import Siding
public import SidingChain
internal import SidingSynchronization

/// A wall clock that stands still until a test moves it, forwards or backwards.
public final class ManualWallClock: Sendable {
    private let moment: Mutex<Timestamp>

    /// A clock set to `start`: 2023-11-14T22:13:20Z by default.
    public init(_ start: Timestamp = Timestamp(secondsSince1970: 1_700_000_000)) {
        moment = Mutex(start)
    }

    /// The time to which it was set or advanced.
    public var now: Timestamp { moment.withLock { $0 } }

    /// The clock in the type that stores and engines take.
    public var clock: WallClock { WallClock { self.now } }

    /// Moves the time; backwards if `wait` is negative.
    public func advance(by wait: Duration) {
        moment.withLock { $0 = $0 + wait }
    }
}
