public import SidingChain
internal import SidingSynchronization

/// Credentials in files, one per source, that the processes of a user share: `<state>/credentials/<source>`, mode 0600.
///
/// A credential is durable before it is used, and after a crash at any moment the old or the new one is there, whole.
/// Files and directories that another user could read or exchange are refused, as are links.
public struct FileCredentialStore: CredentialStore {
    /// Made with mode 0700 at the first save, where it is missing.
    public let directory: String
    private let interruption: CredentialFile.Interruption
    /// Syncing a disk takes its time, which no thread of the cooperative pool shall wait for.
    private let worker = SerialWorker(label: "siding.credentials")

    /// A store in `directory`, usually `credentials` below the program's state directory.
    public init(directory: String) {
        self.init(directory: directory) { _ in nil }
    }

    init(directory: String, interruption: @escaping CredentialFile.Interruption) {
        self.directory = directory
        self.interruption = interruption
    }

    /// - Throws: ``SidingChain/Failure/Reason/credentialUnavailable`` that names the path, and not what it holds, where
    ///   the file cannot be read, is unsafe, or is no whole credential.
    public func credential(of account: String) async throws(Failure) -> Credential? {
        try kept(of: account).flatMap { $0.isEmpty ? nil : $0.credential }
    }

    /// What stands in the file, also where that is only what was left of a credential.
    func kept(of account: String) throws(Failure) -> KeptCredential? {
        let file = try CredentialFile(of: account)
        guard let directory = try CredentialDirectory.open(directory) else { return nil }
        return try file.read(in: directory)
    }

    /// - Throws: ``SidingChain/Failure/Reason/localResource`` where the disk is full,
    ///   ``SidingChain/Failure/Reason/credentialUnavailable`` for all else; the old credential is then still there.
    public func save(_ credential: Credential, of account: String) async throws(Failure) {
        try await keep(KeptCredential(credential: credential, savedAt: WallClock.system.now), of: account)
    }

    /// Puts `kept` in the place of what stands in the file.
    func keep(_ kept: KeptCredential, of account: String) async throws(Failure) {
        let file = try CredentialFile(of: account)
        let (path, interruption) = (directory, interruption)
        try await queued { () throws(Failure) in
            try file.write(kept, in: CredentialDirectory.make(path), interruption: interruption)
        }
    }

    /// Takes the room on disk that the next credential needs, which saving it then uses.
    ///
    /// - Throws: ``SidingChain/Failure/Reason/localResource`` where the disk is full.
    public func reserve(for account: String) async throws(Failure) {
        let file = try CredentialFile(of: account)
        let (path, interruption) = (directory, interruption)
        try await queued { () throws(Failure) in
            try file.reserve(in: CredentialDirectory.make(path), interruption: interruption)
        }
    }

    /// Not cancellable: the token endpoint has given the credential, and the old one is spent.
    private func queued(_ work: @escaping @Sendable () throws(Failure) -> Void) async throws(Failure) {
        try await worker.run(work)
    }
}
