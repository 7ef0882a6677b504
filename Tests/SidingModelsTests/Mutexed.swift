// SPDX-License-Identifier: Apache-2.0
import SidingSynchronization

/// A value that several tasks count up.
final class Mutexed<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) {
        state = Mutex(value)
    }

    var value: Value { state.withLock { $0 } }

    func set(_ value: Value) { state.withLock { $0 = value } }

    func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        state.withLock { value in
            var copy = value
            defer { value = copy }
            return body(&copy)
        }
    }
}

extension Mutexed where Value == Int {
    func add(_ number: Int) { state.withLock { $0 += number } }
}
