// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes
internal import SidingChain
public import SidingJSON

/// Where a response holds its token, and the token's lifetime.
public struct TokenPlaces: Sendable {
    /// The place of the token.
    public enum Token: Sendable {
        /// In the body, at the first of these paths that has text.
        case body([JSONPath])
        /// In a header field.
        case field(HTTPField.Name)
    }

    /// Where the token is: by default at `$.access_token`, or else `$.token`.
    public var token: Token
    /// The path of the lifetime in the body: seconds, or the time of expiry (since 1970, or RFC 3339).
    public var lifetime: JSONPath?
    /// The lifetime of a token if the response does not specify it; nil if unknown.
    public var usualLifetime: Duration?

    /// The place of RFC 6749 §5.1, and `token`, which many programs print.
    public static let usual: [JSONPath] = [JSONPath(member: "access_token"), JSONPath(member: "token")]

    /// The defaults are those of OAuth: `$.access_token` or `$.token`, with the seconds at `$.expires_in` (RFC 6749 §5.1).
    public init(
        _ token: Token = .body(Self.usual), lifetime: JSONPath? = JSONPath(member: "expires_in"),
        usualLifetime: Duration? = nil
    ) {
        (self.token, self.lifetime, self.usualLifetime) = (token, lifetime, usualLifetime)
    }

    /// Reads the token from a response.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - what: a description of the response, for people.
    /// - Throws: a ``RefreshRefusal`` without any content of the response, if it holds no token.
    func grant(
        _ bytes: [UInt8], _ fields: HTTPFields, now: Double, of what: String = "the answer"
    ) throws(Failure) -> TokenGrant {
        let found: (token: String?, lifetime: Duration?) = bytes.withUnsafeBytes { bytes in
            guard (try? JSONSyntax.validate(bytes)) != nil else { return (nil, nil) }
            func text(_ path: JSONPath) -> String? {
                JSONMembers.value(at: path, in: bytes)?.text(in: bytes).flatMap { $0.isEmpty ? nil : $0 }
            }
            let lifetime = lifetime.flatMap(text).flatMap { Self.lifetime($0, now: now) }
            guard case .body(let paths) = self.token else { return (nil, lifetime) }
            return (paths.lazy.compactMap(text).first, lifetime)
        }
        let token: String? =
            switch self.token {
            case .body: found.token
            case .field(let name): fields[name].flatMap { $0.isEmpty ? nil : $0 }
            }
        guard let token else { throw Self.missing(self.token, in: what) }
        return TokenGrant(accessToken: token, lifetime: found.lifetime ?? usualLifetime)
    }

    private static func missing(_ token: Token, in what: String) -> Failure {
        let place: String =
            switch token {
            case .body(let paths): "at \(paths.map(\.description).joined(separator: " or "))"
            case .field(let name): "in the header field \(name)"
            }
        return Failure(
            .contract, phase: .answered, underlying: RefreshRefusal("\(what) holds no token \(place)"))
    }

    private static func lifetime(_ text: String, now: Double) -> Duration? {
        if let number = Double(text) { return TokenGrant.lifetime(number, now: now) }
        return Timestamp(rfc3339: text).flatMap { TokenGrant.lifetime(seconds: $0.secondsSince1970 - now) }
    }
}
