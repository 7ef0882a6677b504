public import HTTPTypes

/// Puts the access token of the context on each attempt: `Authorization: Bearer …` (RFC 6750 §2.1), unless the origin wants
/// it elsewhere.
///
/// For chains below an ``AccessSafeNode``, which reads the credential.
public struct AccessTokenProvider: MetadataProvider, Hashable {
    /// The header field that carries the token.
    public let field: HTTPField.Name
    /// What stands before the token, its space included.
    public let prefix: String

    public init(field: HTTPField.Name = .authorization, prefix: String = "Bearer ") {
        (self.field, self.prefix) = (field, prefix)
    }

    /// - Throws: ``Failure/Reason/credentialUnavailable`` where the context holds no credential, or one that no header
    ///   field can carry; its value is not told.
    public func metadata(_ context: ChainContext) async throws(Failure) -> HTTPFields {
        guard let token = context.credential?.accessToken else {
            throw unavailable("the call has no credential: its chain lacks an AccessSafeNode")
        }
        // RFC 6750 §2.1 allows visible ASCII only; anything else would be cut or be read as another field.
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw unavailable("the access token is empty, or holds a space, a line break or a character beyond ASCII")
        }
        return [field: prefix + token]
    }

    private func unavailable(_ why: String) -> Failure {
        Failure(.credentialUnavailable, phase: .notSent, detail: why)
    }
}
