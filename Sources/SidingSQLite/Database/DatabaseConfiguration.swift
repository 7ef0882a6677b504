// SPDX-License-Identifier: Apache-2.0
/// The settings of a database file; the defaults are those that the store relies on.
public struct DatabaseConfiguration: Sendable, Hashable {
    /// The durability of commits (sqlite.org/pragma.html, "synchronous").
    public enum Synchronous: String, Sendable, Hashable {
        /// A commit survives a power cut. The default.
        case full = "FULL"
        /// A commit survives the death of the process; a power cut may lose the latest commits, never consistency.
        case normal = "NORMAL"
    }

    /// "Sidg": marks the file as a Siding database (sqlite.org/fileformat2.html, offset 68).
    public static let sidingApplicationID: Int32 = 0x5369_6467
    /// "SiDn": marks files from builds before the first release, which had another schema.
    public static let unreleasedApplicationID: Int32 = 0x5369_446E

    /// The mark that a file must have to be opened, and that a new one gets.
    public var applicationID = sidingApplicationID
    /// How durable a commit is.
    public var synchronous = Synchronous.full
    /// How long a write or a checkpoint waits for the writer lock before it fails.
    public var writerLockTimeout: Duration = .seconds(30)
    /// SQLite's own wait, for programs that do not take the writer lock.
    public var busyTimeout: Duration = .seconds(5)
    /// The WAL length, in pages of 8 KiB, at which a commit is followed by a checkpoint: 4,000 are 31 MiB.
    public var checkpointThreshold = 4_000
    /// Bytes of page cache per connection.
    public var cacheBytes = 16 << 20
    /// The size in bytes to which the WAL file is truncated when it is reused.
    public var journalSizeLimit: Int64 = 64 << 20
    /// The longest text, blob or row in bytes (SQLITE_LIMIT_LENGTH). A record may have 64 MiB; its row is larger than its body,
    /// and quoting or `hex()` doubles it. Four times as much leaves room and still stops a runaway value.
    public var maximumValueBytes = 256 << 20
    /// Accepts a file on NFS, SMB or 9p. Only safe if a single host uses it and its locks are known to work.
    public var allowsNetworkFileSystem = false

    /// The defaults of all settings.
    public init() {}
}
