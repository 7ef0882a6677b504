// SPDX-License-Identifier: Apache-2.0
public import SidingChain
internal import SidingSynchronization

/// Stores credentials in files that all processes of a user share, one per source: `<state>/credentials/<source>`, mode 0600.
///
/// A credential is durable before it is used. After a crash at any moment the old or the new one is complete. Files and
/// directories that another user could read or replace are refused, as are links.
public struct FileCredentialStore: CredentialStore {
    /// Created with mode 0700 at the first save if missing.
    public let directory: String
    private let interruption: CredentialFile.Interruption
    /// Syncing a disk takes time and must not block threads of the cooperative pool.
    private let worker = SerialWorker(label: "siding.credentials")

    /// A store in `directory`, usually `credentials` below the program's state directory.
    public init(directory: String) {
        self.init(directory: directory) { _ in nil }
    }

    init(directory: String, interruption: @escaping CredentialFile.Interruption) {
        self.directory = directory
        self.interruption = interruption
    }

    /// - Throws: `Failure.Reason.credentialUnavailable` that names the path, never the content, if the file
    ///   cannot be read, is unsafe, or is not a complete credential.
    public func credential(of account: String) async throws(Failure) -> Credential? {
        try kept(of: account).flatMap { $0.isEmpty ? nil : $0.credential }
    }

    /// The content of the file, even if only the remains of a forgotten credential.
    func kept(of account: String) throws(Failure) -> KeptCredential? {
        let file = try CredentialFile(of: account)
        guard let directory = try CredentialDirectory.open(directory) else { return nil }
        return try file.read(in: directory)
    }

    /// - Throws: `Failure.Reason.localResource` if the disk is full, `Failure.Reason.credentialUnavailable` otherwise;
    ///   the old credential is then still there.
    public func save(_ credential: Credential, of account: String) async throws(Failure) {
        try await keep(KeptCredential(credential: credential, savedAt: WallClock.system.now), of: account)
    }

    /// Replaces the content of the file with `kept`.
    func keep(_ kept: KeptCredential, of account: String) async throws(Failure) {
        let file = try CredentialFile(of: account)
        let (path, interruption) = (directory, interruption)
        try await queued { () throws(Failure) in
            try file.write(kept, in: CredentialDirectory.make(path), interruption: interruption)
        }
    }

    /// Reserves disk space for the next credential; the next save uses it.
    ///
    /// - Throws: `Failure.Reason.localResource` if the disk is full.
    public func reserve(for account: String) async throws(Failure) {
        let file = try CredentialFile(of: account)
        let (path, interruption) = (directory, interruption)
        try await queued { () throws(Failure) in
            try file.reserve(in: CredentialDirectory.make(path), interruption: interruption)
        }
    }

    /// Not cancellable: the token endpoint has returned the credential, and the old one is spent.
    private func queued(_ work: @escaping @Sendable () throws(Failure) -> Void) async throws(Failure) {
        try await worker.run(work)
    }
}
