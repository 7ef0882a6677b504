/// How long earlier versions of records are kept. The present version is always kept, and a version must outlive every rule
/// that is given.
public struct HistoryRetention: Sendable, Hashable {
    /// Versions that something else took the place of longer ago are removed; nil keeps them for good.
    public var keep: Duration?
    /// At most so many earlier versions of each record; nil for all.
    public var versions: Int?

    /// Without a rule all versions are kept, for good.
    public init(keep: Duration? = nil, versions: Int? = nil) {
        (self.keep, self.versions) = (keep, versions)
    }
}

extension RecordShape {
    /// Whether views and indexes are as `other` has them, and the contract too.
    func looksLike(_ other: RecordShape) -> Bool {
        var same = self
        same.history = other.history
        return same == other
    }
}
