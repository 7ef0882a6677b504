// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// Limits the inline retries of all calls to one origin, so that an origin that answers nobody gets few requests: two are made, and
/// then none until a call succeeds.
///
/// ``RetryNode`` asks it before each retry for which the origin did not ask itself. It counts in one process; what waits in the queue
/// has its own backoff.
package final class InlineRetryLimit: Sendable {
    private static let most = 2

    /// The retries since a call succeeded.
    private let count = Mutex(0)

    package init() {}

    /// Whether a call that failed may be tried again.
    func take() -> Bool {
        count.withLock { count in
            guard count < Self.most else { return false }
            count += 1
            return true
        }
    }

    /// A call succeeded, with a retry or without.
    func succeeded() { count.withLock { $0 = 0 } }
}
