internal import Siding
internal import SidingChain

/// What the pages and the interface over HTTP read, and act on.
struct ServedStore: Sendable {
    let store: Store
    /// The resources of the config; they change when the config is loaded anew.
    let resources: @Sendable () -> [AnyResource]
    let wallClock: WallClock
    /// Why the service cannot use its database now; nil if it can.
    var storeFailure: @Sendable () -> StoreError? = { nil }

    var now: Timestamp { wallClock.now }
}
