/// Exactly one JSON value, checked as strictly as a record is, and kept as the bytes that came: no number loses a digit, no
/// member its place.
///
/// Use it wherever JSON is passed on before anyone knows its type. What it holds is valid by RFC 8259 and UTF-8, no name
/// stands twice in an object, and no string holds half of a surrogate pair, so that every reader sees the same value.
/// There is no tree: each accessor walks the bytes anew. A part shares the bytes of the whole and keeps them alive.
///
/// Equal documents are equal byte for byte: `1.0` is not `1`, and the order of members counts.
public struct JSONDocument: Sendable, Hashable, CustomStringConvertible {
    public let kind: JSONKind
    /// The value as it came, without the space around it. The indices are those of the whole that it is a part of.
    public let bytes: ArraySlice<UInt8>

    /// Checks and keeps one document; space around the value is left out.
    ///
    /// - Throws: ``DocumentFault`` at the first byte that breaks a rule; one of syntax, wherever it is, comes before the
    ///   others.
    public init(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(DocumentFault) {
        let root = try bytes.span.bytes.withUnsafeBytes { (document) throws(DocumentFault) in
            try Self.read(document, limits: limits)
        }
        self.init(kind: root.kind, checked: bytes[Int(root.start)..<Int(root.end)])
    }

    /// Checks and keeps a document that is text already, as tests and fixtures have it.
    ///
    /// - Throws: ``DocumentFault``, as for bytes.
    public init(_ text: String, limits: JSONLimits = JSONLimits()) throws(DocumentFault) {
        try self.init(Array(text.utf8), limits: limits)
    }

    /// A value that is known to keep the rules: a part of a checked one, or made of such.
    init(kind: JSONKind, checked bytes: ArraySlice<UInt8>) {
        self.kind = kind
        self.bytes = bytes
    }

    private static func read(
        _ document: UnsafeRawBufferPointer, limits: JSONLimits
    ) throws(DocumentFault) -> FoundValue {
        guard document.count < Int(UInt32.max) else { throw .tooLarge(bytes: document.count) }
        let (root, noted): (FoundValue, RecordFault?)
        do throws(JSONSyntaxError) {
            (root, noted) = try scan(document, limits: limits)
        } catch {
            throw .syntax(error)
        }
        if let noted { throw .rule(noted) }
        return root
    }

    private static func scan(
        _ document: UnsafeRawBufferPointer, limits: JSONLimits
    ) throws(JSONSyntaxError) -> (FoundValue, RecordFault?) {
        var scanner = try JSONScanner(document, limits: limits)
        var rules = RecordRules(scanner: scanner, tree: PathTree(), limits: limits)
        rules.begin()
        try scanner.document(&rules)
        try scanner.finish()
        return (rules.found[PathTree.root], rules.noted?.fault(in: scanner.start, limits: limits))
    }

    /// The start of the value on one line, as ``excerpt(limit:hiding:)`` gives it; nothing is hidden.
    public var description: String { excerpt() }
}

extension JSONScanner {
    @inline(never)
    fileprivate mutating func document(_ rules: inout RecordRules) throws(JSONSyntaxError) {
        try value(tellingOf: &rules)
    }
}
