// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// The inline retries in a row, without an answer between them, of each source. They are those of this process: who starts a
/// command after an outage is not to have its first lost answer wait in the queue.
final class RetryRows: Sendable {
    private let rows = Mutex<[String: Int]>([:])

    func end(of source: String) { rows.withLock { $0[source] = nil } }

    /// Whether another one may be sent. Then it is counted.
    func admits(_ source: String, upTo limit: Int) -> Bool {
        rows.withLock { rows in
            guard rows[source, default: 0] < limit else { return false }
            rows[source, default: 0] += 1
            return true
        }
    }
}
