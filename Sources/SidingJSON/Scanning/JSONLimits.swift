/// How much one page may ask of the reader before it is refused.
///
/// A limit met inside a record faults that record alone, outside the records it faults the page; `maxValues` always
/// faults the page. Values below 1 are raised to 1.
public struct JSONLimits: Sendable, Hashable {
    /// Open arrays and objects at one place, counted from the record for a record and from the document for the rest.
    /// Default 128.
    public var maxDepth: Int
    /// Values of every kind in the whole page, arrays and objects included. Default 5,000,000.
    public var maxValues: Int
    /// Bytes between the quotes of one string or name, as they stand in the page. Default 8 MiB.
    public var maxStringBytes: Int

    public init(maxDepth: Int = 128, maxValues: Int = 5_000_000, maxStringBytes: Int = 8 << 20) {
        self.maxDepth = max(1, maxDepth)
        self.maxValues = max(1, maxValues)
        self.maxStringBytes = max(1, maxStringBytes)
    }
}
