internal import SidingSynchronization

/// Credentials for programs that keep nothing: gone with the process.
public final class InMemoryCredentialStore: CredentialStore {
    private let credentials: Mutex<[String: Credential]>

    /// A store that begins with these credentials, by account.
    public init(_ credentials: [String: Credential] = [:]) {
        self.credentials = Mutex(credentials)
    }

    public func credential(of account: String) async throws(Failure) -> Credential? {
        credentials.withLock { $0[account] }
    }

    public func save(_ credential: Credential, of account: String) async throws(Failure) {
        credentials.withLock { $0[account] = credential }
    }
}
