// SPDX-License-Identifier: Apache-2.0
public import SidingChain
internal import SidingSQLite

/// Allows one refresh per source at a time among all processes that share a directory: a flock(2) on `<source>.lock` beside the
/// credential, which the kernel releases when its holder dies.
public struct FileRefreshGate: RefreshGate {
    private let directory: String
    private let timeout: Duration
    private let clock: any Clock<Duration>

    /// The time between two attempts to take the lock.
    private static let pause = Duration.milliseconds(20)

    /// - Parameters:
    ///   - directory: that of the ``FileCredentialStore``; created with mode 0700 if missing.
    ///   - timeout: the longest wait for another refresh, 60 s by default, which is more than one refresh may take.
    ///   - clock: measures the wait.
    public init(directory: String, timeout: Duration = .seconds(60), clock: any Clock<Duration> = ContinuousClock()) {
        self.directory = directory
        self.timeout = timeout
        self.clock = clock
    }

    /// - Throws: the errors of `body`; `Failure.Reason.timeout(_:)` after the timeout, naming the process that
    ///   holds the lock; `Failure.Reason.cancelled`; `Failure.Reason.credentialUnavailable` if the
    ///   directory or the lock file is unsafe or cannot be used.
    public func withRefresh<Value: Sendable>(
        of account: String, _ body: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let lock = try await acquire(account)
        // Used here so that the lock is held until `body` has returned.
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
            // The last attempt, whose error names the holder.
            return try await FileLock.acquire(path, timeout: .zero)
        } catch let error as SQLiteError {
            throw CredentialFault.lock(error, of: account)
        } catch {
            throw Failure(.cancelled, phase: .notSent)
        }
    }
}
