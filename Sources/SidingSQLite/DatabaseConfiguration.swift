/// How a database file is opened; the defaults are the promises that the store makes.
public struct DatabaseConfiguration: Sendable, Hashable {
    public enum Synchronous: String, Sendable, Hashable {
        /// A commit survives a power cut. The default.
        case full = "FULL"
        /// A commit survives the death of the process; a power cut may lose the latest commits, never consistency.
        case normal = "NORMAL"
    }

    /// "Sidg": marks the file as ours (sqlite.org/fileformat2.html, offset 68).
    public static let sidingApplicationID: Int32 = 0x5369_6467
    /// "SiDn": the mark of files from builds before the first release, whose schema was another one.
    public static let unreleasedApplicationID: Int32 = 0x5369_446E

    public var applicationID = sidingApplicationID
    public var synchronous = Synchronous.full
    /// How long a write or a checkpoint waits for the writer lock before it gives up.
    public var writerLockTimeout: Duration = .seconds(30)
    /// SQLite's own wait, a safety net against programs that do not take the writer lock.
    public var busyTimeout: Duration = .seconds(5)
    /// Pages of 8 KiB in the WAL from which a checkpoint is made after a commit: 4,000 are 31 MiB.
    public var checkpointThreshold = 4_000
    /// Bytes of page cache, for each connection.
    public var cacheBytes = 16 << 20
    /// The WAL file is cut to this size when it is reused.
    public var journalSizeLimit: Int64 = 64 << 20
    /// The longest text, blob or row, in bytes (SQLITE_LIMIT_LENGTH). A record may have 64 MiB; its row holds more than
    /// its body, and quoting or `hex()` doubles it: four times as much leaves room and still stops a runaway value.
    public var maximumValueBytes = 256 << 20
    /// Takes a file on NFS, SMB or 9p all the same. Only where one host alone uses it and its locks are known to work.
    public var allowsNetworkFileSystem = false

    public init() {}
}
