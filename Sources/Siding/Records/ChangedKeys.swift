/// The keys that were written since a revision.
public struct ChangedKeys: Sendable, Hashable {
    /// The resource's revision now.
    public var revision: Int64
    /// Inserted, updated or deleted since; each once.
    public var keys: [String]

    public init(revision: Int64, keys: [String]) {
        self.revision = revision
        self.keys = keys
    }
}
