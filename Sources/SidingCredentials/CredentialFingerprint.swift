// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

/// Tells whether two readings of a source's credentials differ, apart from tokens that this process has renewed itself. It has no
/// meaning for other processes, as its hash is seeded anew in each.
package struct CredentialFingerprint: Sendable, Hashable {
    private let hash: Int

    /// Reads the credentials; nil if a secret cannot be read.
    package init?(of authorization: Authorization) async {
        var hasher = Hasher()
        do throws(Failure) {
            for secret in authorization.secrets { hasher.combine(try await secret.read()) }
        } catch { return nil }
        if let access = authorization.access { hasher.combine(try? await access.givenCredential()) }
        hash = hasher.finalize()
    }
}
