// SPDX-License-Identifier: Apache-2.0
import SidingSynchronization

/// Rows of a number and a text of 100 characters, in chunks of 64 KiB that end within rows.
final class RowChunks: Sendable {
    private struct State {
        var row = 0
        var rest: [UInt8] = []
        var taken = 0
    }

    private let rows: Int
    private let state = Mutex(State())

    init(_ rows: Int) { self.rows = rows }

    /// The number of chunks that were taken.
    var taken: Int { state.withLock { $0.taken } }

    func next() -> [UInt8]? {
        state.withLock { state in
            while state.rest.count < 65_536, state.row < rows {
                state.rest += "\(state.row)\t\(String(repeating: "x", count: 100))\n".utf8
                state.row += 1
            }
            guard !state.rest.isEmpty else { return nil }
            state.taken += 1
            defer { state.rest.removeFirst(min(state.rest.count, 65_536)) }
            return Array(state.rest.prefix(65_536))
        }
    }
}
