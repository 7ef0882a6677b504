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
