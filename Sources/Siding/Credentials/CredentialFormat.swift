internal import SidingChain
internal import SidingJSON

/// A credential as JSON: `{"access_token":"…","refresh_token":"…","generation":3,"expires_at":1767225600000000}`.
///
/// The end is in microseconds since 1970, as all stored times are. Members that are not known are ignored.
enum CredentialFormat {
    static func encode(_ credential: Credential) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.name("access_token")
        json.string(credential.accessToken)
        if let refreshToken = credential.refreshToken {
            json.name("refresh_token")
            json.string(refreshToken)
        }
        json.name("generation")
        json.integer(credential.generation)
        if let expiresAt = credential.expiresAt {
            json.name("expires_at")
            json.integer(Timestamp(secondsSince1970: expiresAt).microseconds)
        }
        json.endObject()
        return json.bytes + [UInt8(ascii: "\n")]
    }

    /// The credential, or nil for anything that is not a whole one.
    static func decode(_ bytes: [UInt8]) -> Credential? {
        bytes.withUnsafeBytes { bytes in
            guard (try? JSONSyntax.validate(bytes)) != nil else { return nil }
            func value(_ name: String) -> EnvelopeValue? {
                JSONMembers.value(at: JSONPath(member: name), in: bytes)
            }
            guard let accessToken = value("access_token")?.string(in: bytes),
                let generation = value("generation")?.text(in: bytes).flatMap(UInt64.init)
            else { return nil }
            let end = value("expires_at")?.text(in: bytes).flatMap(Int64.init)
            return Credential(
                accessToken: accessToken, refreshToken: value("refresh_token")?.string(in: bytes),
                generation: generation, expiresAt: end.map { Timestamp(microseconds: $0).secondsSince1970 })
        }
    }
}
