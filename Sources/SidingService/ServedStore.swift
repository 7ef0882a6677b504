// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingInspection

/// What the pages and the interface over HTTP read, and act on.
struct ServedStore: Sendable {
    let store: Store
    /// The resources of the config; they change when the config is loaded anew.
    let resources: @Sendable () -> [AnyResource]
    let wallClock: WallClock
    /// The targets of the config, which change likewise.
    var targets: @Sendable () -> [PublishedTarget] = { [] }
    /// Why the service cannot use its database now; nil if it can.
    var storeFailure: @Sendable () -> StoreError? = { nil }
    /// Syncs a resource for somebody who asked for it.
    var sync: @Sendable (AnyResource) async throws -> Void = { _ in }
    /// Further lines for `/metrics`.
    var metrics: @Sendable () async throws -> String = { "" }
    /// Whether the program does its work.
    var isLive: @Sendable () async -> Bool = { true }
    /// Paces the events.
    var clock: any Clock<Duration> = ContinuousClock()

    var now: Timestamp { wallClock.now }

    func overview() async throws -> Overview {
        try await Overview.gather(resources(), targets: targets(), store, maxAge: nil, now: now)
    }
}
