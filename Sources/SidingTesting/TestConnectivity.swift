public import SidingChain
internal import SidingSynchronization

/// A machine whose way out is there or not, as a test says.
public final class TestConnectivity: Connectivity {
    private let usable: Mutex<Bool>
    private let asked = Mutex(0)

    public init(hasUsableRoute: Bool = true) {
        usable = Mutex(hasUsableRoute)
    }

    /// Takes the way out, or gives it back.
    public func set(hasUsableRoute: Bool) {
        usable.withLock { $0 = hasUsableRoute }
    }

    /// How often someone looked.
    public var lookups: Int { asked.withLock { $0 } }

    public func hasUsableRoute() -> Bool {
        asked.withLock { $0 += 1 }
        return usable.withLock { $0 }
    }
}
