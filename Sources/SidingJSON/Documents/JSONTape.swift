/// The values of one document in their order, each with its place: what two documents are laid side by side by.
///
/// A value's first child is the node behind it, and its next sibling is at `after`; nothing here recurses, so no depth of
/// nesting can exhaust the call stack. It costs 64 bytes per value, so it is for single records and not for pages.
struct JSONTape {
    struct Node {
        let kind: JSONKind
        /// Whether a string is written with backslashes.
        var isEscaped = false
        /// Whether a member's name is written with backslashes.
        var isNameEscaped = false
        /// Whether a member of this object, or of an object among its members, is null. Arrays are not looked into: a merge
        /// patch does not look into them either.
        var holdsNullMember = false
        /// A member's name without its quotes; empty, and no place, for elements and the root.
        var name: Range<Int>
        let start: Int
        var end: Int
        /// The first node that is not inside of this one.
        var after: Int
    }

    static let root = 0

    let bytes: ArraySlice<UInt8>
    let nodes: [Node]

    init(_ document: JSONDocument) {
        bytes = document.bytes
        nodes =
            bytes.withUnsafeBytes { TapeRecorder.nodes(of: $0, from: document.bytes.startIndex) } ?? [
                // The bytes were checked, so that this does not happen: a document without parts rather than a crash.
                Node(kind: document.kind, name: 0..<0, start: bytes.startIndex, end: bytes.endIndex, after: 1)
            ]
    }

    func isObject(_ node: Int) -> Bool { nodes[node].kind == .object }

    /// The value as it stands in the document.
    func text(of node: Int) -> ArraySlice<UInt8> { bytes[nodes[node].start..<nodes[node].end] }

    /// The value as a document of its own, which shares the bytes.
    func document(at node: Int) -> JSONDocument { JSONDocument(kind: nodes[node].kind, checked: text(of: node)) }

    /// A member's name as it stands in the document, with its quotes.
    func quotedName(of node: Int) -> ArraySlice<UInt8> {
        bytes[nodes[node].name.lowerBound - 1..<nodes[node].name.upperBound + 1]
    }

    /// A member's name as it is compared.
    func name(of node: Int) -> DecodedText {
        DecodedText(contents: bytes[nodes[node].name], isEscaped: nodes[node].isNameEscaped)
    }

    /// The text of a string as it is compared.
    func string(of node: Int) -> DecodedText {
        DecodedText(contents: text(of: node).dropFirst().dropLast(), isEscaped: nodes[node].isEscaped)
    }

    /// The members or elements of a node, in their order.
    func children(of node: Int) -> some Sequence<Int> {
        let end = nodes[node].after
        return sequence(state: node + 1) { child in
            guard child < end else { return nil }
            defer { child = nodes[child].after }
            return child
        }
    }
}

/// Notes each value as the scanner steps over it.
private struct TapeRecorder: JSONObserver {
    private let base: UnsafePointer<UInt8>
    /// The index of the first byte in the whole that the document is a part of.
    private let first: Int
    private var nodes: [JSONTape.Node] = []
    /// The open arrays and objects, outermost first.
    private var open: [Int] = []
    private var name = 0..<0
    private var isNameEscaped = false

    private init(base: UnsafePointer<UInt8>, first: Int) {
        self.base = base
        self.first = first
    }

    static func nodes(of document: UnsafeRawBufferPointer, from first: Int) -> [JSONTape.Node]? {
        let limits = JSONLimits(maxDepth: .max, maxValues: .max, maxStringBytes: .max)
        guard var scanner = try? JSONScanner(document, limits: limits) else { return nil }
        var recorder = TapeRecorder(base: scanner.start, first: first)
        guard (try? scanner.value(tellingOf: &recorder)) != nil else { return nil }
        return recorder.nodes
    }

    private func place(_ position: UnsafePointer<UInt8>) -> Int { first + (position - base) }

    private mutating func append(
        _ kind: JSONKind, from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>, isEscaped: Bool = false
    ) {
        nodes.append(
            JSONTape.Node(
                kind: kind, isEscaped: isEscaped, isNameEscaped: isNameEscaped, name: name, start: place(start),
                end: place(end), after: nodes.count + 1))
        name = 0..<0
        isNameEscaped = false
        if kind == .null { noteNullMember() }
    }

    /// Tells the innermost open object, if it is not an array that is open there.
    private mutating func noteNullMember() {
        if let parent = open.last, nodes[parent].kind == .object { nodes[parent].holdsNullMember = true }
    }

    mutating func open(
        _ kind: JSONKind, at position: UnsafePointer<UInt8>, in scanner: borrowing JSONScanner
    ) throws(JSONSyntaxError) {
        append(kind, from: position, to: position)
        open.append(nodes.count - 1)
    }

    mutating func close(at position: UnsafePointer<UInt8>) {
        let closed = open.removeLast()
        nodes[closed].end = place(position)
        nodes[closed].after = nodes.count
        if nodes[closed].holdsNullMember { noteNullMember() }
    }

    mutating func name(_ name: ScannedString, in scanner: borrowing JSONScanner) throws(JSONSyntaxError) {
        self.name = place(name.start)..<place(name.end)
        isNameEscaped = name.isEscaped
    }

    mutating func element() {}

    mutating func string(_ string: ScannedString, in scanner: borrowing JSONScanner) throws(JSONSyntaxError) {
        append(.string, from: string.start - 1, to: string.end + 1, isEscaped: string.isEscaped)
    }

    mutating func scalar(_ kind: JSONKind, from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>) {
        append(kind, from: start, to: end)
    }
}
