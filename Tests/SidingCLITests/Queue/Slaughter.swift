// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingOrigin
import SidingSynchronization

/// Runs children of which many are killed at random instants of their lives, and keeps what they left behind.
final class Slaughter: Sendable {
    private struct State {
        var generator: SeededGenerator
        var killed = 0
        var isOver = false
        /// How long children of a kind lived that nobody killed: what random instants are spread over.
        var lives: [String: Duration] = [:]
        var faults: [String] = []
    }

    let sandbox: Sandbox
    /// So many kills are enough.
    let target: Int
    private let state: Mutex<State>

    init(in sandbox: Sandbox, target: Int, seed: UInt64) {
        (self.sandbox, self.target) = (sandbox, target)
        state = Mutex(State(generator: SeededGenerator(seed: seed)))
    }

    var killed: Int { state.withLock { $0.killed } }
    /// Whether there are kills to come, and nothing has gone wrong so far.
    var goesOn: Bool { state.withLock { !$0.isOver && $0.killed < target } }
    /// What no command may do: an exit code that is not told, or words about locks.
    var faults: [String] { state.withLock { $0.faults } }

    func end() { state.withLock { $0.isOver = true } }

    func random<Value>(_ body: (inout SeededGenerator) -> Value) -> Value {
        state.withLock { body(&$0.generator) }
    }

    /// Runs `siding`, which is killed with this `chance` somewhere between its start and a little after its usual end.
    ///
    /// - Parameters:
    ///   - statuses: the exit codes that it may have, beside that of a kill.
    ///   - stretch: how many of its usual lives the instants are spread over.
    @discardableResult
    func siding(
        _ arguments: [String], chance: Double, statuses: Set<Int32> = [0], stretch: Double = 1.2
    ) async throws -> Outcome {
        let kind = arguments.prefix(2).joined(separator: " ")
        let instant: Duration? = state.withLock { state in
            guard Double.random(in: 0..<1, using: &state.generator) < chance else { return nil }
            let life = state.lives[kind] ?? .milliseconds(100)
            return life * (Double.random(in: 0..<stretch, using: &state.generator))
        }
        let start = ContinuousClock.now
        let outcome = try await sandbox.siding(arguments, limit: .seconds(300)) { child in
            guard let instant else { return }
            // The instant itself is what is random here; nothing is expected of it.
            try? await Task.sleep(for: instant)
            child.send(SIGKILL)
        }
        note(outcome, kind, arguments, statuses, lived: ContinuousClock.now - start)
        return outcome
    }

    private func note(
        _ outcome: Outcome, _ kind: String, _ arguments: [String], _ statuses: Set<Int32>, lived: Duration
    ) {
        state.withLock { state in
            if outcome.status == 128 + SIGKILL {
                state.killed += 1
            } else {
                let before = state.lives[kind] ?? lived
                state.lives[kind] = (before * 3 + lived) / 4
                // Of the codes that may be, 1 is a refusal, which says what is not done; a failure does not.
                let isTold = outcome.status != 1 || outcome.error.contains(": not ")
                if !statuses.contains(outcome.status) || !isTold {
                    state.faults.append("\(arguments) ended with \(outcome.status): \(outcome.error)")
                }
            }
            let words = outcome.error.lowercased()
            if words.contains("locked") || words.contains("busy") {
                state.faults.append("\(arguments) said: \(outcome.error)")
            }
        }
    }
}
