public import SidingChain

/// The stored tokens of sources in a directory; sends no requests.
public struct KeptSignIns: Sendable {
    let files: FileCredentialStore

    /// - Parameter directory: as for ``SignIns``.
    public init(directory: String) {
        files = FileCredentialStore(directory: directory)
    }

    /// The state of a source's credential, without the tokens.
    public struct State: Sendable, Hashable {
        /// Whether there is a token, or a refresh token for the next one.
        public var hasToken: Bool
        /// Grows by one with each token; 0 if there was none yet.
        public var generation: UInt64
        public var savedAt: Timestamp?
        /// When the access token expires; nil if unknown.
        public var expiresAt: Timestamp?
        /// The token endpoint's refusal since the last token, and its time.
        public var refusal: String?
        public var refusedAt: Timestamp?
    }

    /// - Throws: ``SidingChain/Failure/Reason/credentialUnavailable`` that names the path, if the file cannot be read.
    public func state(of source: String) throws(Failure) -> State {
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
    public func forget(_ source: String) async throws(Failure) -> Bool {
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
