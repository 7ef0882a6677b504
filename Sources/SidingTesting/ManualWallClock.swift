internal import Siding
public import SidingChain
internal import SidingSynchronization

/// Wall-clock time that stands still until a test moves it, forwards or backwards.
public final class ManualWallClock: Sendable {
    private let moment: Mutex<Timestamp>

    /// A clock that stands at `start`: 2023-11-14T22:13:20Z unless said otherwise.
    public init(_ start: Timestamp = Timestamp(secondsSince1970: 1_700_000_000)) {
        moment = Mutex(start)
    }

    public var now: Timestamp { moment.withLock { $0 } }

    /// The clock in the form that stores and engines take.
    public var clock: WallClock { WallClock { self.now } }

    public func advance(by wait: Duration) {
        moment.withLock { $0 = $0 + wait }
    }
}
