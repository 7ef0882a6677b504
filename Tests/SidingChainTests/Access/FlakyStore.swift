import SidingChain

/// A store that fails to save when it is told so.
struct FlakyStore: CredentialStore {
    let wrapped: InMemoryCredentialStore
    let fault: @Sendable () -> Failure?

    init(_ wrapped: InMemoryCredentialStore, _ fault: @escaping @Sendable () -> Failure?) {
        (self.wrapped, self.fault) = (wrapped, fault)
    }

    func credential(of account: String) async throws(Failure) -> Credential? {
        try await wrapped.credential(of: account)
    }

    func save(_ credential: Credential, of account: String) async throws(Failure) {
        if let fault = fault() { throw fault }
        try await wrapped.save(credential, of: account)
    }
}
