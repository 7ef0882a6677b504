// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// Allows one refresh of an account at a time, among all who share the gate.
///
/// Read the credential again after entering: whoever was inside before may have renewed it already. `Siding` has one that
/// processes share.
public protocol RefreshGate: Sendable {
    /// Waits until nobody else refreshes `account`, then runs `body`.
    ///
    /// - Throws: the errors of `body`; ``Failure/Reason/cancelled`` if the task is cancelled while it waits; another
    ///   ``Failure`` if the gate could not be entered.
    func withRefresh<Value: Sendable>(
        of account: String, _ body: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value
}

/// A gate within one process, first come, first served.
package final class InMemoryRefreshGate: RefreshGate {
    private let lines = Mutex<[String: WaitingLine<Void>]>([:])

    package init() {}

    package func withRefresh<Value: Sendable>(
        of account: String, _ body: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let line = lines.withLock { lines in
            if let line = lines[account] { return line }
            let line = WaitingLine<Void>()
            lines[account] = line
            return line
        }
        guard await line.take() else { throw Failure(.cancelled, phase: .notSent) }
        defer { line.pass() }
        return try await body()
    }
}
