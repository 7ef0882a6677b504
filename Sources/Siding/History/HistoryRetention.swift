/// How long earlier versions of records are kept. The present version is always kept; an earlier one only while no rule removes
/// it.
public struct HistoryRetention: Sendable, Hashable {
    /// Removes versions that were replaced longer ago than this; nil keeps them for ever.
    public var keep: Duration?
    /// The maximum number of earlier versions per record; nil for no limit.
    public var versions: Int?

    /// Without a rule all versions are kept for ever.
    public init(keep: Duration? = nil, versions: Int? = nil) {
        (self.keep, self.versions) = (keep, versions)
    }
}

extension RecordSchema {
    /// Whether both shapes have the same views, indexes and contract; the history may differ.
    func looksLike(_ other: RecordSchema) -> Bool {
        var same = self
        same.history = other.history
        return same == other
    }
}
