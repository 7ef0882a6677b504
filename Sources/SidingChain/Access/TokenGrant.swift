// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import SidingJSON

/// The tokens that a token endpoint returned for a refresh or sign-in, before they have a generation.
///
/// Like ``Credential`` it never shows its tokens.
public struct TokenGrant: Sendable, Hashable {
    /// The new access token, without `Bearer`.
    public var accessToken: String
    /// Nil if the endpoint keeps the old one valid (RFC 6749 §6); an empty or blank one counts as nil.
    public var refreshToken: String?
    /// How long the access token lasts; nil if unknown.
    public var lifetime: Duration?

    /// A grant from an endpoint whose format is not that of OAuth 2; see ``init(parsing:now:)`` for those.
    public init(accessToken: String, refreshToken: String? = nil, lifetime: Duration? = nil) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.lifetime = lifetime
    }

    /// Parses the response of an OAuth 2 token endpoint (RFC 6749 §5.1).
    ///
    /// - Parameters:
    ///   - answer: the body of the response.
    ///   - now: seconds since 1970, used if the endpoint reports an expiry time instead of a lifetime; the system's time by
    ///     default.
    /// - Throws: ``Failure/Reason/contract`` if it holds no access token; with a ``RefreshRefusal`` as underlying error if it
    ///   holds an error instead, as some endpoints respond with status 200.
    public init(parsing answer: [UInt8], now: Double? = nil) throws(Failure) {
        let now = now ?? WallClock.system.now.secondsSince1970
        let grant = answer.withUnsafeBytes { bytes -> Result<TokenGrant, Failure> in
            guard (try? JSONSyntax.validate(bytes)) != nil else { return .failure(Self.unreadable("it is not JSON")) }
            func text(_ name: String) -> String? { Self.value(name, in: bytes)?.string(in: bytes)?.nonBlank }
            guard let token = text("access_token") else { return .failure(Self.withoutToken(error: text("error"))) }
            let seconds = Self.value("expires_in", in: bytes)?.text(in: bytes).flatMap(Double.init)
            return .success(
                TokenGrant(
                    accessToken: token, refreshToken: text("refresh_token"),
                    lifetime: seconds.flatMap { Self.lifetime($0, now: now) }))
        }
        self = try grant.get()
    }

    /// The credential that replaces `spent`; the request was made at `now` (seconds since 1970).
    func credential(after spent: Credential, now: Double) -> Credential {
        var next = credential(generation: spent.generation &+ 1, now: now)
        next.refreshToken = next.refreshToken ?? spent.refreshToken
        next.descent = spent.descent
        return next
    }

    /// A new credential from this grant alone; the request was made at `now` (seconds since 1970).
    func credential(generation: UInt64, now: Double) -> Credential {
        Credential(
            accessToken: accessToken, refreshToken: refreshToken, generation: generation,
            expiresAt: lifetime.map { now + $0 / .seconds(1) }, lifetime: lifetime)
    }

    /// The lifetime that `number` means, guessed by its size: below 1,000,000,000 it is seconds; below 100,000,000,000 it is
    /// the expiry time in seconds since 1970, above that in milliseconds.
    ///
    /// - Returns: nil for less than a second, or more than a hundred years, which is no usable lifetime.
    package static func lifetime(_ number: Double, now: Double) -> Duration? {
        lifetime(seconds: number < 1e9 ? number : (number < 1e11 ? number : number / 1_000) - now)
    }

    /// The lifetime in whole seconds; nil likewise.
    package static func lifetime(seconds: Double) -> Duration? {
        (1...3_153_600_000).contains(seconds) ? .seconds(Int64(seconds)) : nil
    }

    private static func value(_ name: String, in bytes: UnsafeRawBufferPointer) -> EnvelopeValue? {
        JSONMembers.value(at: JSONPath(member: name), in: bytes)
    }

    private static func withoutToken(error: String?) -> Failure {
        guard let error else { return unreadable("it holds no access_token") }
        return Failure(.contract, phase: .answered, detail: error, underlying: RefreshRefusal(error))
    }

    private static func unreadable(_ why: String) -> Failure {
        Failure(.contract, phase: .answered, detail: "the answer of the token endpoint cannot be used: \(why)")
    }
}

extension TokenGrant: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "token grant" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["lifetime": lifetime as Any]) }
}
