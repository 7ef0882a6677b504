// SPDX-License-Identifier: Apache-2.0
import SidingChain

/// A store that fails to save when it is told so.
struct FlakyStore: CredentialStore {
    let wrapped: InMemoryCredentialStore
    let fault: @Sendable () -> Failure?
    let hasRoom: Bool

    init(
        _ wrapped: InMemoryCredentialStore, hasRoom: Bool = true,
        _ fault: @escaping @Sendable () -> Failure?
    ) {
        (self.wrapped, self.fault, self.hasRoom) = (wrapped, fault, hasRoom)
    }

    func reserve(for account: String) async throws(Failure) {
        guard hasRoom else { throw Failure(.localResource, phase: .notSent, detail: "no space") }
    }

    func credential(of account: String) async throws(Failure) -> Credential? {
        try await wrapped.credential(of: account)
    }

    func save(_ credential: Credential, of account: String) async throws(Failure) {
        if let fault = fault() { throw fault }
        try await wrapped.save(credential, of: account)
    }
}
