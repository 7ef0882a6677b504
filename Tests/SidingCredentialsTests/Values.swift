// SPDX-License-Identifier: Apache-2.0
import SidingSynchronization

/// Gives values in order, the last one for ever.
final class Values<Value: Sendable>: Sendable {
    private let rest: Mutex<[Value]>

    init(_ values: [Value]) {
        rest = Mutex(values)
    }

    func next() -> Value {
        rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    }
}
