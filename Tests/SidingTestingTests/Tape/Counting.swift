// SPDX-License-Identifier: Apache-2.0
import SidingSynchronization

/// Counts from zero, from any task.
final class Counting: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func next() -> Int {
        count.withLock { count in
            defer { count += 1 }
            return count
        }
    }
}
