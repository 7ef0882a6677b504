/// Why the service cannot listen.
public struct ServiceError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Kind: String, Sendable, CaseIterable {
        /// The text names no address.
        case invalidAddress = "invalid_address"
        /// Others than this machine's users could reach the address, and no token was given.
        case tokenRequired = "token_required"
        /// The token is too short to be a secret, or has characters that no header field can carry.
        case invalidToken = "invalid_token"
        /// Another process listens there.
        case addressInUse = "address_in_use"
        /// The system refuses the address.
        case addressUnavailable = "address_unavailable"
    }

    public var kind: Kind
    public var message: String
    public var hint: String?

    init(_ kind: Kind, _ message: String, hint: String? = nil) {
        (self.kind, self.message, self.hint) = (kind, message, hint)
    }

    public var description: String { hint.map { "\(message); \($0)" } ?? message }
}
