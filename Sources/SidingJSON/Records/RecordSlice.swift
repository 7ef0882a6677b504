/// One record of a page: where its bytes lie, and its key or what is wrong with it.
public struct RecordSlice: Sendable, Hashable {
    public enum Outcome: Sendable, Hashable {
        case key(RecordKey)
        case fault(RecordFault)
    }

    private let start: UInt32
    private let end: UInt32
    public let outcome: Outcome
    /// Stands for the sequence of the record's own member names: equal names in equal order have an equal shape, in every
    /// run. It tells that columns may have changed; it is a hash, so equal shapes do not prove equal names.
    public let shape: UInt64

    init(start: UInt32, end: UInt32, outcome: Outcome, shape: UInt64) {
        self.start = start
        self.end = end
        self.outcome = outcome
        self.shape = shape
    }

    /// The record's bytes in the page, without space around them.
    public var range: Range<Int> { Int(start)..<Int(end) }
}
