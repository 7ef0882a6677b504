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
