/// Beneath the failure of a request whose renewed credential the origin did not take either, by whatever status it says so:
/// what 401 means by itself, ``AccessSafety/statuses`` says of others.
public struct CredentialRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    public init() {}

    public var description: String { "the origin refused the credential" }
}
