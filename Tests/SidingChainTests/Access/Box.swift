// SPDX-License-Identifier: Apache-2.0
import SidingSynchronization

/// Holds a value that a closure needs and that is made after it, or changes under it.
final class Box<Value: Sendable>: Sendable {
    private let held: Mutex<Value?>

    init(_ value: Value? = nil) {
        held = Mutex(value)
    }

    var value: Value? {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
    }
}
