// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// Sums the progress of concurrent listings.
final class FanOutProgress: Sendable {
    private struct State {
        var finished = RunCounters()
        var going: [String: RunCounters] = [:]
    }

    private let resource: String
    private let report: @Sendable (SyncProgress) -> Void
    private let state = Mutex(State())

    init(_ resource: String, report: @escaping @Sendable (SyncProgress) -> Void) {
        self.resource = resource
        self.report = report
    }

    /// Records the progress of the listing of the parent `key`, and reports the sum.
    func update(_ counters: RunCounters, of key: String) {
        let total = state.withLock { state in
            state.going[key] = counters
            return state.going.values.reduce(into: state.finished) { $0 += $1 }
        }
        report(SyncProgress(resource: resource, counters: total, page: total.pages))
    }

    /// Moves the counters of a finished listing into the sum.
    func finish(_ key: String) {
        state.withLock { state in
            if let counters = state.going.removeValue(forKey: key) { state.finished += counters }
        }
    }
}
