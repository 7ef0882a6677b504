// SPDX-License-Identifier: Apache-2.0
package import SidingChain
internal import SidingSQLite
package import SidingSynchronization

/// The store in one SQLite file: WAL mode, shared by several processes, with plain tables that any SQLite tool can read.
///
/// One connection writes, on its own queue; up to four read beside it. All state is in rows.
public struct Store: Sendable {
    /// How the file is opened.
    public enum Access: Sendable, Hashable {
        /// Created if missing, migrated if older.
        case readWriteCreate
        /// Must exist; migrated if older.
        case readWrite
        /// Must exist with the current schema version; nothing is written.
        case readOnly
    }

    /// What a commit survives.
    public enum Durability: String, Sendable, Hashable {
        /// Power loss.
        case full
        /// The end of the process. A power loss may undo the newest commits, each as a whole.
        case normal
    }

    /// The file's path.
    public var path: String { reader.path }
    let writer: Database?
    let reader: DatabaseReader
    let owner: OwnerLock
    let claimedWork: ClaimedWork
    let memberSets: KnownMemberSets
    /// Fires after each commit of this process that wrote records.
    package let changeSignal: ChangeSignal
    package let clock: WallClock
    /// Times the transactions of long work, and the pauses between them.
    package var monotonicClock: any Clock<Duration> = ContinuousClock()
    /// Spreads retry times of a source.
    let jitter: Jitter
    /// How long runs, completed entries and deleted records are kept.
    public var keep = KeepRules()
    /// The migrations applied when the store was opened.
    package let appliedMigrations: [String]
    /// Hooks for tests that observe, delay or fail a call.
    package var probes = StoreProbes()

    /// Whether there is a store at `path`. An empty file is none; ``Access/readWriteCreate`` turns it into one.
    package static func exists(at path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return FileSystem.exists(path) }
        return status.st_mode & S_IFMT != S_IFREG || status.st_size > 0
    }

    /// The first process that opens the file reads the whole WAL again (sqlite.org/wal.html#recovery): 2 MiB in pages.
    private static let pagesLeftInWAL = 256

    /// Closes all connections and releases the owner lock.
    public func close() async {
        await reader.close()
        // Without a checkpoint each of many short commands would read the WAL of all commands before it.
        _ = try? await writer?.checkpointIfNeeded(over: Self.pagesLeftInWAL, waits: false)
        await writer?.close()
        owner.release()
    }

    /// - Throws: ``StoreError/Kind/foreign`` if the file was removed or replaced since it was opened: other processes do not see
    ///   what this one stores.
    func checkPlace() throws(StoreError) {
        guard !reader.isInPlace else { return }
        throw StoreError(
            .foreign, "the database was removed or replaced while it was open: \(path)",
            hint: "start the program again, so that it opens the file that is there now")
    }

    @discardableResult
    func write<T: Sendable>(_ body: @Sendable (borrowing Transaction) throws -> T) async throws(StoreError) -> T {
        guard let writer else {
            throw StoreError(
                .inaccessible, "the database was opened for reading only: \(path)",
                hint: "open it for writing, as a user who may write the file")
        }
        do { return try await writer.write(body) } catch { throw StoreError(mapping: error) }
    }

    func read<T: Sendable>(_ body: @Sendable (borrowing Snapshot) throws -> T) async throws(StoreError) -> T {
        do { return try await reader.read(body) } catch { throw StoreError(mapping: error) }
    }
}

/// Hooks that let a test stop a store; they do nothing outside of tests.
package struct StoreProbes: Sendable {
    /// Called with a page's number before the page is saved, outside of the transaction.
    package var willCommit: @Sendable (_ number: Int) async throws(StoreError) -> Void
    /// Called before records are looked up by their keys.
    package var willLookUp: @Sendable () async -> Void
    /// Called with the keys that a look-up found, before its caller has the records.
    package var didLookUp: @Sendable (_ keys: [String]) async -> Void

    package init(
        willCommit: @escaping @Sendable (_ number: Int) async throws(StoreError) -> Void = { _ in },
        willLookUp: @escaping @Sendable () async -> Void = {},
        didLookUp: @escaping @Sendable (_ keys: [String]) async -> Void = { _ in }
    ) {
        (self.willCommit, self.willLookUp, self.didLookUp) = (willCommit, willLookUp, didLookUp)
    }
}

/// The member sets whose columns exist already, so that most records cost the view nothing.
final class KnownMemberSets: Sendable {
    /// The maximum number of member sets; beyond it the memory starts over, for records whose members are keys of a map.
    private static let limit = 10_000
    private let memberSets = Mutex<[String: Set<UInt64>]>([:])

    func known(of resource: String) -> Set<UInt64> {
        memberSets.withLock { $0[resource] ?? [] }
    }

    func add(_ new: Set<UInt64>, to resource: String) {
        guard !new.isEmpty else { return }
        memberSets.withLock { memberSets in
            let known = memberSets[resource] ?? []
            memberSets[resource] = known.count + new.count > Self.limit ? new : known.union(new)
        }
    }
}
