// SPDX-License-Identifier: Apache-2.0
/// Splits a page of JSON into records, their keys and wanted values around them, in one pass without building a tree or copying
/// bodies.
///
/// The records are found at:
/// - no path: the root array, or the only array among the root object's members;
/// - `$` or `$.a.b`: the array there, or the object there as a single record;
/// - `$[*]` or `$.a.b[*]`: the array there, nothing else;
/// - `$.*` or `$.a.b.*`: the members of the object there, or the elements of the array. With a declared path of any of these
///   forms `null` is an empty page, as many origins write empty lists so;
/// - ``JSONPath/lines``: the values on the page's lines.
///
/// A fault of the page (not RFC 8259 JSON, not UTF-8, no records, limits exceeded) is thrown and nothing of the page is kept.
/// A fault of a record is that record's outcome; the others are read.
package struct PageReader: Sendable {
    private(set) var records: JSONPath?
    let recordsNode: PathTree.Node
    let envelope: [JSONPath]
    let envelopeNodes: [PathTree.Node]
    let tree: PathTree
    let keyReader: RecordKeyReader
    let columnNodes: [PathTree.Node]
    /// The paths inside a record.
    let recordTree: PathTree
    /// The name of a record's member; `PathTree.none` if no key asks for it.
    let nameNode: PathTree.Node
    let limits: JSONLimits
    let readsSurroundings: Bool

    /// - Parameters:
    ///   - records: the path of the records; nil to find them.
    ///   - key: paths inside a record, or ``JSONPath/memberName``; several make a composite key, none uses the record itself as
    ///     its key.
    ///   - columns: paths inside a record of values that are wanted of each; see ``RecordSlice/columns``.
    ///   - envelope: paths of wanted values from the page's root, outside or inside the records.
    ///   - readsSurroundings: whether ``PageContents/surroundings`` are wanted.
    package init(
        records: JSONPath?, key: [JSONPath], columns: [JSONPath] = [], envelope: [JSONPath] = [],
        limits: JSONLimits = JSONLimits(), readsSurroundings: Bool = false
    ) {
        var tree = PathTree()
        recordsNode = records.map { tree.insert($0) } ?? PathTree.none
        envelopeNodes = envelope.map { tree.insert($0) }
        (self.tree, self.records, self.envelope, self.limits) = (tree, records, envelope, limits)
        self.readsSurroundings = readsSurroundings
        var recordTree = PathTree()
        keyReader = RecordKeyReader(paths: key, in: &recordTree)
        columnNodes = columns.map { recordTree.insert($0) }
        nameNode = key.contains(.memberName) ? recordTree.insert(.memberName) : PathTree.none
        self.recordTree = recordTree
    }

    /// The reader for pages of the same kind that have a record per line.
    package var forLines: PageReader {
        var reader = self
        reader.records = .lines
        return reader
    }

    /// Whether each line is a record.
    package var readsLines: Bool { records == .lines }

    /// Reads one whole page.
    ///
    /// - Throws: `PageFault`; a syntax error anywhere in the page takes precedence.
    package func read(_ bytes: UnsafeRawBufferPointer) throws(PageFault) -> PageContents {
        guard bytes.count < Int(UInt32.max) else { throw .tooLarge(bytes: bytes.count) }
        if readsLines, bytes.isEmpty {
            return PageContents(records: [], recordsPath: .root, hasList: true, envelope: envelope.map { _ in nil })
        }
        let scanner: JSONScanner
        do throws(JSONSyntaxError) {
            scanner = try JSONScanner(bytes, limits: limits)
        } catch {
            throw PageFault(error, limits: limits)
        }
        var walk = PageWalk(reader: self, page: bytes, scanner: scanner)
        do throws(JSONSyntaxError) {
            if readsLines { try walk.lines() } else { try walk.document() }
        } catch {
            throw PageFault(error, limits: limits)
        }
        return try walk.contents()
    }
}

/// The result of reading a page: ranges of its bytes, no copies.
package struct PageContents: Sendable {
    /// In the order of the page.
    package var records: [RecordSlice]
    /// The path of the records, declared or found.
    package var recordsPath: JSONPath
    /// Whether the page has a list of records, even an empty one; false for `null`.
    package var hasList: Bool
    /// Whether the page is one record, with nothing around it.
    package var isOneRecord = false
    /// The value of each requested path, in order; nil if the page has none.
    package var envelope: [EnvelopeValue?]
    /// The scalars around the records, in the order of the page: of the root's first 500 members, of each the first 100 values,
    /// down to the sixth level, and of each array the first eight. Empty if they were not wanted.
    package var surroundings: [Surrounding] = []

    /// A value outside the records, and where it is.
    package struct Surrounding: Sendable, Hashable {
        /// From the root of the page, such as `$.meta.total`.
        package let path: JSONPath
        /// A string, a number, `true`, `false` or null.
        package let value: EnvelopeValue
    }
}

/// One record of a page: its range of bytes, and its key or fault.
package struct RecordSlice: Sendable, Hashable {
    /// The record's key, or the fault that keeps it from being stored.
    package enum Outcome: Sendable, Hashable {
        /// The record can be stored under this key.
        case key(RecordKey)
        /// The record is left out, for this reason.
        case fault(RecordFault)
    }

    private let start: UInt32
    private let end: UInt32
    /// What is to be done with the record.
    package let outcome: Outcome
    /// A hash of the record's top-level member names in order (the member set): stable across runs. A new hash means that columns
    /// may have changed; equal hashes do not prove equal names.
    package let memberSet: UInt64
    /// The values at the reader's `columns`, with ranges from the record's start; nil where the record has none. Empty if none were
    /// asked for, or if a name on the way to one is written with escapes: SQLite 3.40 does not find such members, later versions do.
    package let columns: [EnvelopeValue?]

    init(start: UInt32, end: UInt32, outcome: Outcome, memberSet: UInt64, columns: [EnvelopeValue?]) {
        (self.start, self.end, self.outcome, self.memberSet) = (start, end, outcome, memberSet)
        self.columns = columns
    }

    /// The record's bytes in the page, without surrounding whitespace.
    package var range: Range<Int> { Int(start)..<Int(end) }
}
