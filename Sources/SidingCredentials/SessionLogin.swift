// SPDX-License-Identifier: Apache-2.0
/// A log-in at the origin: a POST of secrets whose response holds a token.
public struct SessionLogin: Sendable {
    /// How the body of the POST is written.
    public enum Encoding: String, Sendable, CaseIterable {
        /// `application/json`
        case json
        /// `application/x-www-form-urlencoded`
        case form
    }

    /// Relative to the source's own URL.
    public var path: String
    /// What is posted, such as user and password.
    public var body: LoginValue
    /// The encoding of ``body``; JSON by default.
    public var encoding: Encoding
    /// Where the response holds the token.
    public var places: TokenPlaces

    /// The parameters are the properties of the same names.
    public init(path: String, body: LoginValue, encoding: Encoding = .json, places: TokenPlaces) {
        (self.path, self.body, self.encoding, self.places) = (path, body, encoding, places)
    }
}
