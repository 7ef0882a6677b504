/// What one pass over a page found: ranges of the page, no copies of it.
public struct PageContents: Sendable {
    /// In the order of the page.
    public var records: [RecordSlice]
    /// Where the records were found, declared or not.
    public var recordsPath: JSONPath
    /// Whether there is a list, be it an empty one; `null` is none.
    public var hasList: Bool
    /// One for each path asked for, in that order; nil where the page has nothing at it.
    public var envelope: [EnvelopeValue?]
}
