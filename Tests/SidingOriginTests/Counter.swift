// SPDX-License-Identifier: Apache-2.0
import SidingSynchronization

/// A number that tests move on.
final class Counter: Sendable {
    private let state: Mutex<Int>

    init(start: Int) {
        state = Mutex(start)
    }

    var value: Int { state.withLock { $0 } }
    func advance(_ step: Int) { state.withLock { $0 += step } }
}
