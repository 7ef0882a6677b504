/// A log-in at the origin: a POST of secrets whose response holds a token.
public struct SessionLogin: Sendable {
    public enum Encoding: String, Sendable, CaseIterable {
        case json
        /// `application/x-www-form-urlencoded`
        case form
    }

    /// Relative to the source's own URL.
    public var path: String
    public var body: LoginValue
    public var encoding: Encoding
    public var places: TokenPlaces

    public init(path: String, body: LoginValue, encoding: Encoding = .json, places: TokenPlaces) {
        (self.path, self.body, self.encoding, self.places) = (path, body, encoding, places)
    }
}
