// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON

/// The JSON form of a credential: `{"access_token":"…","refresh_token":"…","generation":3,"expires_at":1767225600000000}`.
///
/// Times are in microseconds since 1970, as all stored times, and the lifetime is in microseconds. Unknown members are ignored.
enum CredentialFormat {
    static func encode(_ kept: KeptCredential) -> [UInt8] {
        let credential = kept.credential
        var json = JSONWriter()
        json.beginObject()
        json.member("access_token", credential.accessToken)
        json.member("refresh_token", credential.refreshToken)
        json.name("generation")
        json.integer(credential.generation)
        json.member("expires_at", credential.expiresAt.map(Timestamp.init(secondsSince1970:)))
        if let lifetime = credential.lifetime {
            json.name("lifetime")
            json.integer(lifetime.wholeMicroseconds)
        }
        json.member("descent", credential.descent)
        json.member("saved_at", kept.savedAt)
        json.member("refusal", kept.refusal?.word)
        json.member("refused_at", kept.refusal?.at)
        json.endObject()
        return json.bytes + [UInt8(ascii: "\n")]
    }

    /// The credential; nil if `bytes` are not a complete one.
    static func decode(_ bytes: [UInt8]) -> KeptCredential? {
        bytes.withUnsafeBytes { bytes in
            guard (try? JSONSyntax.validate(bytes)) != nil else { return nil }
            func value(_ name: String) -> EnvelopeValue? {
                JSONMembers.value(at: JSONPath(member: name), in: bytes)
            }
            func time(_ name: String) -> Timestamp? {
                value(name)?.text(in: bytes).flatMap(Int64.init).map(Timestamp.init(microseconds:))
            }
            guard let accessToken = value("access_token")?.string(in: bytes),
                let generation = value("generation")?.text(in: bytes).flatMap(UInt64.init)
            else { return nil }
            let credential = Credential(
                accessToken: accessToken, refreshToken: value("refresh_token")?.string(in: bytes),
                generation: generation, expiresAt: time("expires_at")?.secondsSince1970,
                lifetime: value("lifetime")?.text(in: bytes).flatMap(Int64.init).map(Duration.microseconds),
                descent: value("descent")?.string(in: bytes))
            var kept = KeptCredential(credential: credential, savedAt: time("saved_at"))
            if let word = value("refusal")?.string(in: bytes), let moment = time("refused_at") {
                kept.refusal = KeptCredential.Refusal(word: word, at: moment)
            }
            return kept
        }
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: String, _ text: String?) {
        guard let text else { return }
        self.name(name)
        string(text)
    }

    fileprivate mutating func member(_ name: String, _ moment: Timestamp?) {
        guard let moment else { return }
        self.name(name)
        integer(moment.microseconds)
    }
}
