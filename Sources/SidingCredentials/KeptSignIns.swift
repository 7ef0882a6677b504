// SPDX-License-Identifier: Apache-2.0
package import SidingChain

/// The stored tokens of sources in a directory; sends no requests.
package struct KeptSignIns: Sendable {
    let files: FileCredentialStore

    /// - Parameter directory: as for ``SignIns``.
    package init(directory: String) {
        files = FileCredentialStore(directory: directory)
    }

    /// The state of a source's credential, without the tokens.
    package struct State: Sendable, Hashable {
        /// Whether there is a token, or a refresh token for the next one.
        package var hasToken: Bool
        /// Grows by one with each token; 0 if there was none yet.
        package var generation: UInt64
        /// When the token was stored; nil if none ever was.
        package var savedAt: Timestamp?
        /// When the access token expires; nil if unknown.
        package var expiresAt: Timestamp?
        /// With what the token endpoint refused since the last token, such as `400 invalid_grant`; nil if it did not.
        package var refusal: String?
        /// The time of ``refusal``; nil without one.
        package var refusedAt: Timestamp?
    }

    /// Reads what is stored for the source of this name; sends nothing and takes no lock.
    ///
    /// - Throws: ``SidingChain/Failure/Reason/credentialUnavailable`` that names the path, if the file cannot be read.
    package func state(of source: String) throws(Failure) -> State {
        let kept = try files.kept(of: source) ?? KeptCredential(credential: .none)
        return State(
            hasToken: !kept.isEmpty, generation: kept.credential.generation, savedAt: kept.savedAt,
            expiresAt: kept.credential.expiresAt.map(Timestamp.init(secondsSince1970:)),
            refusal: kept.refusal?.word, refusedAt: kept.refusal?.at)
    }

    /// Removes the tokens of `source`, while holding the gate: the next request gets a new token as configured.
    ///
    /// The generation count continues, so that the next token is not mistaken for the previous one.
    /// - Returns: whether there was a token, or a file that could not be read.
    /// - Throws: the errors of the directory's gate and files.
    @discardableResult
    package func forget(_ source: String) async throws(Failure) -> Bool {
        try await gate(ContinuousClock()).withRefresh(of: source) { () async throws(Failure) -> Bool in
            var old: KeptCredential?
            var isReadable = true
            do throws(Failure) { old = try files.kept(of: source) } catch { isReadable = false }
            var left = KeptCredential(credential: .none)
            left.credential.generation = (old?.credential.generation ?? 0) &+ 1
            // Even if nothing was stored: callers that were refused then try again.
            try await files.keep(left, of: source)
            return !isReadable || old.map { !$0.isEmpty } ?? false
        }
    }

    func gate(_ clock: any Clock<Duration>) -> FileRefreshGate {
        FileRefreshGate(directory: files.directory, clock: clock)
    }
}
