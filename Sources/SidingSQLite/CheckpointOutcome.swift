/// What became of a checkpoint.
public enum CheckpointOutcome: Sendable, Hashable {
    /// The WAL is below the threshold.
    case notNeeded
    /// Everything is in the database file, the WAL is empty.
    case done
    /// A reader is in the way: nothing is wrong, try later.
    case busy
}
