internal import SidingSynchronization

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

/// What a source is asked with: the access token of now, and what the next one is got with.
///
/// It shows its generation, never its tokens: neither when it is printed nor when it is dumped.
public struct Credential: Sendable, Hashable {
    /// Goes into `Authorization: Bearer …`. Empty where there is none yet: then a refresh comes before the first call.
    public var accessToken: String
    /// What the token endpoint wants for the next access token; often good for one refresh only (RFC 6749 §6).
    public var refreshToken: String?
    /// Grows by one with each refresh and each sign-in, and tells a late 401 from a new one.
    public var generation: UInt64
    /// When the access token ends, in seconds since 1970; nil where nobody said.
    public var expiresAt: Double?
    /// How long it lasts in all; nil where nobody said. No token is renewed before half of it is over.
    public var lifetime: Duration?
    /// What it was first got with, as a word that tells nothing of it; nil where nobody keeps count of that. A credential
    /// that stems from another client secret, or another password, is another one.
    public var descent: String?

    public init(
        accessToken: String, refreshToken: String? = nil, generation: UInt64 = 1, expiresAt: Double? = nil,
        lifetime: Duration? = nil, descent: String? = nil
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.generation = generation
        self.expiresAt = expiresAt
        self.lifetime = lifetime
        self.descent = descent
    }

    /// Whether both are the outcome of the same refresh or sign-in. A sign-in may begin its count anew, so that the
    /// generation alone would not tell; the end may have been rounded on its way through a file.
    func isSame(as other: Credential) -> Bool {
        generation == other.generation && accessToken == other.accessToken && refreshToken == other.refreshToken
            && descent == other.descent
    }

    /// `text` with the tokens cut out, for errors that quote what they were given.
    func cutOut(of text: String) -> String {
        [accessToken, refreshToken ?? ""].filter { !$0.isEmpty }.reduce(text) { $0.replacing($1, with: "…") }
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "credential of generation \(generation)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["generation": generation]) }
}
