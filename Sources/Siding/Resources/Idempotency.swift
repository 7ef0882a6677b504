public import HTTPTypes

/// The origin's promise to process requests with the same idempotency key only once.
///
/// Every POST and PATCH carries the key. A write that may have arrived is sent again only if the origin is declared to honour
/// the key, and only while it remembers the key (draft-ietf-httpapi-idempotency-key-header).
public struct Idempotency: Sendable, Hashable {
    /// How the key is written into its field.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// The bare key.
        case plain
        /// The key in double quotes: a structured-field string (RFC 8941 §3.3.3).
        case quoted
    }

    /// The field that carries the key.
    public var field: HTTPField.Name
    public var format: Format
    /// How long the origin remembers a key, counted from the first request that carried it.
    public var lifetime: Duration

    /// Defaults: the field `Idempotency-Key`, plain format, 24 hours.
    public init(
        field: HTTPField.Name = Idempotency.standardField, format: Format = .plain,
        lifetime: Duration = .seconds(24 * 3600)
    ) {
        (self.field, self.format, self.lifetime) = (field, format, lifetime)
    }

    /// `Idempotency-Key`.
    public static let standardField = HTTPField.Name("Idempotency-Key") ?? .ifMatch
}
