/// Splits a page of JSON into its records, their keys and the wanted values around them, in one pass that builds no tree
/// and copies no body.
///
/// Where the records are:
/// - no path: the root array, or the only array among the root object's members;
/// - `$` or `$.a.b`: the array there, or the object there, which is one record of its own;
/// - `$[*]` or `$.a.b[*]`: the array there, and nothing else will do. With either form a `null` there is an empty page, since
///   many origins write an empty list so, but only where the path is declared.
///
/// A fault of the page (not RFC 8259 JSON, not UTF-8, no records, too much of it) is thrown, and nothing of the page is
/// kept. A fault of a record is that record's outcome, and the page goes on.
public struct PageReader: Sendable {
    let records: JSONPath?
    let recordsNode: PathTree.Node
    let envelope: [JSONPath]
    let envelopeNodes: [PathTree.Node]
    let tree: PathTree
    let keyReader: RecordKeyReader
    let limits: JSONLimits

    /// - Parameters:
    ///   - records: where the records are; nil to find them.
    ///   - key: paths inside a record; several make a composite key, none means that the record itself is its key.
    ///   - envelope: paths from the root of the page, before or after the records, or inside of them.
    public init(
        records: JSONPath?, key: [JSONPath], envelope: [JSONPath] = [], limits: JSONLimits = JSONLimits()
    ) {
        var tree = PathTree()
        recordsNode = records.map { tree.insert($0) } ?? PathTree.none
        envelopeNodes = envelope.map { tree.insert($0) }
        self.tree = tree
        self.records = records
        self.envelope = envelope
        self.limits = limits
        keyReader = RecordKeyReader(paths: key)
    }

    /// Reads one whole page.
    ///
    /// - Throws: `PageFault`; a fault of syntax anywhere in the page comes before one of its shape.
    public func read(_ bytes: UnsafeRawBufferPointer) throws(PageFault) -> PageContents {
        guard bytes.count < Int(UInt32.max) else { throw .tooLarge(bytes: bytes.count) }
        let scanner: JSONScanner
        do throws(JSONSyntaxError) {
            scanner = try JSONScanner(bytes, limits: limits)
        } catch {
            throw PageFault(error, limits: limits)
        }
        var walk = PageWalk(reader: self, page: bytes, scanner: scanner)
        do throws(JSONSyntaxError) {
            try walk.document()
        } catch {
            throw PageFault(error, limits: limits)
        }
        return try walk.contents()
    }
}

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
