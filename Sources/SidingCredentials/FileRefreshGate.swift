public import SidingChain
internal import SidingSQLite

/// One refresh per source at a time among all processes that share a directory: a flock(2) on `<source>.lock` beside the
/// credential, which the kernel gives back at any death.
public struct FileRefreshGate: RefreshGate {
    private let directory: String
    private let timeout: Duration
    private let clock: any Clock<Duration>

    /// How long between two looks at a lock that another holds.
    private static let pause = Duration.milliseconds(20)

    /// - Parameters:
    ///   - directory: that of the ``FileCredentialStore``; made with mode 0700 where it is missing.
    ///   - timeout: the longest wait for another's refresh, 60 s unless said otherwise: more than one refresh may take.
    ///   - clock: on which the wait is measured.
    public init(directory: String, timeout: Duration = .seconds(60), clock: any Clock<Duration> = ContinuousClock()) {
        self.directory = directory
        self.timeout = timeout
        self.clock = clock
    }

    /// - Throws: what `body` throws; after the timeout ``SidingChain/Failure/Reason/timeout(_:)``, naming the process that
    ///   holds the lock; ``SidingChain/Failure/Reason/cancelled``; ``SidingChain/Failure/Reason/credentialUnavailable``
    ///   where the directory or the lock file is unsafe or cannot be used.
    public func withRefresh<Value: Sendable>(
        of account: String, _ body: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let lock = try await acquire(account)
        // Borrowed at the end, so that it is held until then.
        defer { _ = lock.path }
        return try await body()
    }

    private func acquire(_ account: String) async throws(Failure) -> FileLock {
        let name = try CredentialDirectory.fileName(of: account)
        let path = try "\(CredentialDirectory.make(directory).path)/\(name).lock"
        do {
            var waited = Duration.zero
            while waited < timeout {
                if let lock = try FileLock.tryAcquire(path) { return lock }
                try await clock.sleep(for: Self.pause)
                waited += Self.pause
            }
            // The last look, which tells who holds it.
            return try await FileLock.acquire(path, timeout: .zero)
        } catch let error as SQLiteError {
            throw CredentialFault.lock(error, of: account)
        } catch {
            throw Failure(.cancelled, phase: .notSent)
        }
    }
}
