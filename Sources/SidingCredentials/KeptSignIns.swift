public import SidingChain

/// The tokens that sources have been given, as they lie in a directory; asks nobody.
public struct KeptSignIns: Sendable {
    let files: FileCredentialStore

    /// - Parameter directory: as for ``SignIns``.
    public init(directory: String) {
        files = FileCredentialStore(directory: directory)
    }

    /// What is kept of a source, without the tokens.
    public struct Standing: Sendable, Hashable {
        /// Whether there is a token, or something to get the next one with.
        public var hasToken: Bool
        /// Grows by one with each token; 0 where there was none yet.
        public var generation: UInt64
        public var savedAt: Timestamp?
        /// When the access token ends; nil where nobody said.
        public var expiresAt: Timestamp?
        /// What the token endpoint refused with since the last token came, and when.
        public var refusal: String?
        public var refusedAt: Timestamp?
    }

    /// - Throws: ``SidingChain/Failure/Reason/credentialUnavailable`` that names the path, where there is something that
    ///   cannot be read.
    public func standing(of source: String) throws(Failure) -> Standing {
        let kept = try files.kept(of: source) ?? KeptCredential(credential: .none)
        return Standing(
            hasToken: !kept.isEmpty, generation: kept.credential.generation, savedAt: kept.savedAt,
            expiresAt: kept.credential.expiresAt.map(Timestamp.init(secondsSince1970:)),
            refusal: kept.refusal?.word, refusedAt: kept.refusal?.at)
    }

    /// Removes the tokens of `source`, alone among all who refresh it: the next request gets a new one, with what the
    /// configuration says.
    ///
    /// What stays is the count of generations, so that nobody takes the next token for the one before.
    /// - Returns: whether there was one, or a file that could not be read.
    /// - Throws: what the directory's gate and files throw.
    @discardableResult
    public func forget(_ source: String) async throws(Failure) -> Bool {
        try await gate(ContinuousClock()).withRefresh(of: source) { () async throws(Failure) -> Bool in
            var old: KeptCredential?
            var isReadable = true
            do throws(Failure) { old = try files.kept(of: source) } catch { isReadable = false }
            var left = KeptCredential(credential: .none)
            left.credential.generation = (old?.credential.generation ?? 0) &+ 1
            // Also where nothing was stored: whoever was refused asks again.
            try await files.keep(left, of: source)
            return !isReadable || old.map { !$0.isEmpty } ?? false
        }
    }

    func gate(_ clock: any Clock<Duration>) -> FileRefreshGate {
        FileRefreshGate(directory: files.directory, clock: clock)
    }
}
