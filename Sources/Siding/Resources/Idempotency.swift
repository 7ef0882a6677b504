public import HTTPTypes

/// An origin's promise to act once on requests that carry the same key.
///
/// The key field is sent with every POST and PATCH; only where the origin is declared to honour it may a write that perhaps
/// arrived be sent again, and then only while the origin remembers the key (draft-ietf-httpapi-idempotency-key-header).
public struct Idempotency: Sendable, Hashable {
    /// How the key is written into its field.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// The key as it stands.
        case plain
        /// In double quotes: a structured-field string (RFC 8941 §3.3.3).
        case quoted
    }

    /// The field that carries the key.
    public var field: HTTPField.Name
    public var format: Format
    /// How long the origin remembers a key after it first saw it.
    public var lifetime: Duration

    /// A promise to honour `Idempotency-Key`, plain, for 24 hours, unless said otherwise.
    public init(
        field: HTTPField.Name = Idempotency.standardField, format: Format = .plain,
        lifetime: Duration = .seconds(24 * 3600)
    ) {
        (self.field, self.format, self.lifetime) = (field, format, lifetime)
    }

    /// `Idempotency-Key`.
    public static let standardField = HTTPField.Name("Idempotency-Key") ?? .ifMatch
}
