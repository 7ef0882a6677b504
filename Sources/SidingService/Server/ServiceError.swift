// SPDX-License-Identifier: Apache-2.0
/// Why the service cannot listen.
public struct ServiceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The cause, for programs; the raw value (`address_in_use`) stays the same between versions.
    public enum Kind: String, Sendable, CaseIterable {
        /// The text names no address.
        case invalidAddress = "invalid_address"
        /// The address can be reached from other machines, and no token was given.
        case tokenRequired = "token_required"
        /// The token is too short to be a secret, or has characters that no header field can carry.
        case invalidToken = "invalid_token"
        /// Another process listens there.
        case addressInUse = "address_in_use"
        /// The system refuses the address.
        case addressUnavailable = "address_unavailable"
        /// The program was built with pages that cannot be read.
        case invalidPages = "invalid_pages"
    }

    /// What kept the service from listening; decide by it, not by the text.
    public var kind: Kind
    /// What failed and where, for people, such as `another process listens on /run/siding.sock`.
    public var message: String
    /// What to do next, or which form is expected; nil if the message says it all.
    public var hint: String?

    init(_ kind: Kind, _ message: String, hint: String? = nil) {
        (self.kind, self.message, self.hint) = (kind, message, hint)
    }

    public var description: String { hint.map { "\(message); \($0)" } ?? message }
}
