/// Splits a page of JSON into records, their keys and wanted values around them, in one pass without building a tree or copying
/// bodies.
///
/// The records are found at:
/// - no path: the root array, or the only array among the root object's members;
/// - `$` or `$.a.b`: the array there, or the object there as a single record;
/// - `$[*]` or `$.a.b[*]`: the array there, nothing else. With a declared path of either form `null` is an empty page, as
///   many origins write empty lists so.
///
/// A fault of the page (not RFC 8259 JSON, not UTF-8, no records, limits exceeded) is thrown and nothing of the page is kept.
/// A fault of a record is that record's outcome; the others are read.
public struct PageReader: Sendable {
    let records: JSONPath?
    let recordsNode: PathTree.Node
    let envelope: [JSONPath]
    let envelopeNodes: [PathTree.Node]
    let tree: PathTree
    let keyReader: RecordKeyReader
    let columnNodes: [PathTree.Node]
    /// The paths inside a record.
    let recordTree: PathTree
    let limits: JSONLimits
    let readsSurroundings: Bool

    /// - Parameters:
    ///   - records: the path of the records; nil to find them.
    ///   - key: paths inside a record; several make a composite key, none uses the record itself as its key.
    ///   - columns: paths inside a record of values that are wanted of each; see ``RecordSlice/columns``.
    ///   - envelope: paths of wanted values from the page's root, outside or inside the records.
    ///   - readsSurroundings: whether ``PageContents/surroundings`` are wanted.
    public init(
        records: JSONPath?, key: [JSONPath], columns: [JSONPath] = [], envelope: [JSONPath] = [],
        limits: JSONLimits = JSONLimits(), readsSurroundings: Bool = false
    ) {
        var tree = PathTree()
        recordsNode = records.map { tree.insert($0) } ?? PathTree.none
        envelopeNodes = envelope.map { tree.insert($0) }
        self.tree = tree
        self.records = records
        self.envelope = envelope
        self.limits = limits
        self.readsSurroundings = readsSurroundings
        var recordTree = PathTree()
        keyReader = RecordKeyReader(paths: key, in: &recordTree)
        columnNodes = columns.map { recordTree.insert($0) }
        self.recordTree = recordTree
    }

    /// Reads one whole page.
    ///
    /// - Throws: `PageFault`; a syntax error anywhere in the page takes precedence.
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

/// The result of reading a page: ranges of its bytes, no copies.
public struct PageContents: Sendable {
    /// In the order of the page.
    public var records: [RecordSlice]
    /// The path of the records, declared or found.
    public var recordsPath: JSONPath
    /// Whether the page has a list of records, even an empty one; false for `null`.
    public var hasList: Bool
    /// The value of each requested path, in order; nil if the page has none.
    public var envelope: [EnvelopeValue?]
    /// The scalars around the records, in the order of the page: of the root's first 500 members, of each the first 100 values,
    /// down to the sixth level, and of each array the first eight. Empty if they were not wanted.
    public var surroundings: [Surrounding] = []

    /// A value outside the records, and where it is.
    public struct Surrounding: Sendable, Hashable {
        public let path: JSONPath
        public let value: EnvelopeValue
    }
}

/// One record of a page: its range of bytes, and its key or fault.
public struct RecordSlice: Sendable, Hashable {
    /// The record's key, or the fault that keeps it from being stored.
    public enum Outcome: Sendable, Hashable {
        case key(RecordKey)
        case fault(RecordFault)
    }

    private let start: UInt32
    private let end: UInt32
    public let outcome: Outcome
    /// A hash of the record's top-level member names in order (the member set): stable across runs. A new hash means that columns
    /// may have changed; equal hashes do not prove equal names.
    public let memberSet: UInt64
    /// The values at the reader's `columns`, with ranges from the record's start; nil where the record has none. Empty if none were
    /// asked for, or if a name on the way to one is written with escapes: SQLite 3.40 does not find such members, later versions do.
    public let columns: [EnvelopeValue?]

    init(start: UInt32, end: UInt32, outcome: Outcome, memberSet: UInt64, columns: [EnvelopeValue?]) {
        self.start = start
        self.end = end
        self.outcome = outcome
        self.memberSet = memberSet
        self.columns = columns
    }

    /// The record's bytes in the page, without surrounding whitespace.
    public var range: Range<Int> { Int(start)..<Int(end) }
}
