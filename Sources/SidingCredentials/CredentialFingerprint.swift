internal import SidingChain

/// Tells whether two readings of a source's credentials differ. It has no meaning for other processes, as its hashes are seeded
/// anew in each.
package struct CredentialFingerprint: Sendable, Hashable {
    private let secrets: Int
    /// Zero without a token that is renewed.
    private let token: Int

    /// Reads the credentials; nil if a secret cannot be read.
    package init?(of authorization: Authorization) async {
        var (secrets, token) = (Hasher(), Hasher())
        do throws(Failure) {
            for secret in authorization.secrets { secrets.combine(try await secret.read()) }
        } catch { return nil }
        if let access = authorization.access { token.combine(try? await access.credential()) }
        (self.secrets, self.token) = (secrets.finalize(), token.finalize())
    }

    /// `later` if a token was renewed since, and the secrets are the same: that is nothing new to try. Otherwise this one.
    package func renewed(as later: CredentialFingerprint?) -> CredentialFingerprint {
        guard let later, later.secrets == secrets else { return self }
        return later
    }
}
