// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// Records the last time of each kind of change, so that every reader gets those that are new to it.
final class NetworkChangeBoard: Sendable {
    private struct State {
        var lastTimes: [UInt64] = NetworkChange.kinds.map { _ in 0 }
        var fault: NetworkWatchFault?
    }

    let signal = ChangeSignal()
    private let state = Mutex(State())

    var fault: NetworkWatchFault? { state.withLock { $0.fault } }

    func tell(_ change: NetworkChange) {
        guard !change.isEmpty else { return }
        // The kernel and the program may tell at once: each needs a time of its own.
        state.withLock { state in
            let time = signal.count + 1
            for (index, entry) in NetworkChange.kinds.enumerated() where change.contains(entry.kind) {
                state.lastTimes[index] = time
            }
            signal.fire()
        }
    }

    /// Records that no changes can be reported any more.
    func fail(_ fault: NetworkWatchFault) {
        state.withLock { $0.fault = fault }
    }

    func changes(since count: UInt64) -> NetworkChange {
        state.withLock { state in
            var change: NetworkChange = []
            for (entry, time) in zip(NetworkChange.kinds, state.lastTimes) where time > count {
                change.insert(entry.kind)
            }
            return change
        }
    }
}
