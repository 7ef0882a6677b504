// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

/// The gate of a source's sign-in: each refresh reads the secrets again, and refusals are recorded for `siding auth status`.
struct SignInGate: RefreshGate {
    let gate: FileRefreshGate
    let store: SignInStore

    func withRefresh<Value: Sendable>(
        of account: String, _ body: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await gate.withRefresh(of: account) { () async throws(Failure) -> Value in
            store.lookAgain()
            do throws(Failure) { return try await body() } catch {
                if let refusal = error.underlying as? RefreshRefusal { await store.note(refusal, of: account) }
                throw error
            }
        }
    }
}
