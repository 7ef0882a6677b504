/// Keeps the credentials of accounts: the seam between access safety and where tokens live.
///
/// `Siding` keeps them in files that processes share; ``InMemoryCredentialStore`` keeps nothing.
public protocol CredentialStore: Sendable {
    /// The credential of `account` as it stands now; nil where nobody has signed in.
    ///
    /// Asked for before each call, so that what another process saved is used at once.
    /// - Throws: ``Failure/Reason/credentialUnavailable`` where there is one that cannot be read.
    func credential(of account: String) async throws(Failure) -> Credential?

    /// Puts `credential` in the place of the old one. When this returns it survives a power cut: only then is it used.
    ///
    /// Called inside of ``RefreshGate/withRefresh(of:_:)``, so that no two savers of an account meet.
    /// - Throws: a ``Failure`` where it could not be saved; the old one is then still whole.
    func save(_ credential: Credential, of account: String) async throws(Failure)

    /// Makes sure that the next credential of `account` can be saved, as far as that can be known: the token endpoint is asked
    /// after this, and what it gives takes the place of a refresh token that is then spent.
    ///
    /// Called inside of ``RefreshGate/withRefresh(of:_:)``. Does nothing unless a store says otherwise.
    /// - Throws: a ``Failure`` where there is no room; nothing is sent then.
    func reserve(for account: String) async throws(Failure)
}

extension CredentialStore {
    public func reserve(for account: String) async throws(Failure) {}
}
