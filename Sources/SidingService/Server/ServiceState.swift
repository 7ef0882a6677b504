// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// What changes while the service runs.
final class ServiceState: Sendable {
    private struct Values {
        var isStopping = false
        var listeners = 0
    }

    private let values = Mutex(Values())

    var isStopping: Bool { values.withLock { $0.isStopping } }

    func stop() { values.withLock { $0.isStopping = true } }

    /// Whether one more may wait for events.
    func addListener(atMost limit: Int) -> Bool {
        values.withLock { values in
            guard values.listeners < limit, !values.isStopping else { return false }
            values.listeners += 1
            return true
        }
    }

    func removeListener() { values.withLock { $0.listeners -= 1 } }
}
