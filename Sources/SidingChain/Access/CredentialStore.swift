// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// Stores the credentials of accounts: the seam between access safety and the place where tokens are kept.
///
/// `Siding` keeps them in files that processes share; ``InMemoryCredentialStore`` keeps them in memory only.
public protocol CredentialStore: Sendable {
    /// The current credential of `account`; nil if nobody has signed in.
    ///
    /// Called before each call, so that a credential saved by another process is used at once.
    /// - Throws: ``Failure/Reason/credentialUnavailable`` if there is one that cannot be read.
    func credential(of account: String) async throws(Failure) -> Credential?

    /// Replaces the stored credential. It is durable (survives a power cut) when this returns, and is not used before.
    ///
    /// Called inside ``RefreshGate/withRefresh(of:_:)``, so an account never has two concurrent saves.
    /// - Throws: a ``Failure`` if it could not be saved; the old one is then intact.
    func save(_ credential: Credential, of account: String) async throws(Failure)

    /// Makes sure, as far as possible, that the next credential of `account` can be saved. Called before the token endpoint is
    /// asked, because its response replaces a refresh token that is then spent.
    ///
    /// Called inside ``RefreshGate/withRefresh(of:_:)``. Does nothing by default.
    /// - Throws: a ``Failure`` if there is no space; no request is sent then.
    func reserve(for account: String) async throws(Failure)
}

extension CredentialStore {
    public func reserve(for account: String) async throws(Failure) {}
}

/// Keeps credentials in memory; they are gone when the process ends.
public final class InMemoryCredentialStore: CredentialStore {
    private let credentials: Mutex<[String: Credential]>

    /// A store with these initial credentials, by account.
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

/// The tokens of one account: the current access token, and the refresh token for the next one.
///
/// Printing or dumping it shows its generation, never its tokens.
public struct Credential: Sendable, Hashable {
    /// The token for `Authorization: Bearer …`. Empty if there is none yet: then a refresh comes before the first call.
    public var accessToken: String
    /// The refresh token; often valid for one refresh only (RFC 6749 §6). Nil also if an empty one was given.
    public var refreshToken: String?
    /// Grows by one with each refresh and each sign-in; distinguishes a late 401 from a new one.
    public var generation: UInt64
    /// When the access token expires, in seconds since 1970; nil if unknown.
    public var expiresAt: Double?
    /// The total lifetime of the access token; nil if unknown. No token is renewed before half of it has passed.
    public var lifetime: Duration?
    /// An opaque fingerprint of the secrets that it was first obtained with; nil if not tracked. A credential obtained with
    /// another client secret or password is a different one.
    public var descent: String?

    /// The first credential of an account, unless the parts of an earlier one are passed. Without `expiresAt` it is renewed
    /// only after a refusal.
    public init(
        accessToken: String, refreshToken: String? = nil, generation: UInt64 = 1, expiresAt: Double? = nil,
        lifetime: Duration? = nil, descent: String? = nil
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken?.nonBlank
        self.generation = generation
        self.expiresAt = expiresAt
        self.lifetime = lifetime
        self.descent = descent
    }

    /// Whether both result from the same refresh or sign-in. The generation alone is not enough, since a sign-in may restart
    /// the count. ``expiresAt`` is not compared, since a file may have rounded it.
    func isSame(as other: Credential) -> Bool {
        generation == other.generation && accessToken == other.accessToken && refreshToken == other.refreshToken
            && descent == other.descent
    }

    /// `text` with the tokens removed, for errors that quote their input.
    func cutOut(of text: String) -> String {
        [accessToken, refreshToken ?? ""].filter { !$0.isEmpty }.reduce(text) { $0.replacing($1, with: "…") }
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "credential of generation \(generation)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["generation": generation]) }
}
