// SPDX-License-Identifier: Apache-2.0
/// The values of one document in order, each with its position; two tapes can be compared or merged.
///
/// A value's first child is the next node, its next sibling is at `after`. Nothing here recurses, so deep nesting cannot
/// exhaust the call stack. It takes 64 bytes per value: use it for single records, not for pages.
struct JSONTape {
    struct Node {
        let kind: JSONKind
        /// Whether a string contains backslashes.
        var isEscaped = false
        /// Whether the member's name contains backslashes.
        var isNameEscaped = false
        /// Whether a member of this object, or of an object nested in it, is null. Ignores arrays, as merge patches do.
        var holdsNullMember = false
        /// The member's name without its quotes; empty for elements and the root.
        var name: Range<Int>
        let start: Int
        var end: Int
        /// The index of the first node outside this value.
        var after: Int
    }

    static let root = 0

    let bytes: ArraySlice<UInt8>
    let nodes: [Node]

    init(_ document: JSONDocument) {
        bytes = document.bytes
        nodes =
            bytes.withUnsafeBytes { TapeRecorder.nodes(of: $0, from: document.bytes.startIndex) } ?? [
                // Cannot happen, as the bytes were checked: a document without parts instead of a crash.
                Node(kind: document.kind, name: 0..<0, start: bytes.startIndex, end: bytes.endIndex, after: 1)
            ]
    }

    func isObject(_ node: Int) -> Bool { nodes[node].kind == .object }

    /// The value's bytes in the document.
    func text(of node: Int) -> ArraySlice<UInt8> { bytes[nodes[node].start..<nodes[node].end] }

    /// The value as its own document, which shares the bytes.
    func document(at node: Int) -> JSONDocument { JSONDocument(kind: nodes[node].kind, checked: text(of: node)) }

    /// The member's name in the document, with its quotes.
    func quotedName(of node: Int) -> ArraySlice<UInt8> {
        bytes[nodes[node].name.lowerBound - 1..<nodes[node].name.upperBound + 1]
    }

    /// The member's name, decoded for comparison.
    func name(of node: Int) -> DecodedText {
        DecodedText(contents: bytes[nodes[node].name], isEscaped: nodes[node].isNameEscaped)
    }

    /// The text of a string, decoded for comparison.
    func string(of node: Int) -> DecodedText {
        DecodedText(contents: text(of: node).dropFirst().dropLast(), isEscaped: nodes[node].isEscaped)
    }

    /// The indices of the node's members or elements, in order.
    func children(of node: Int) -> some Sequence<Int> {
        let end = nodes[node].after
        return sequence(state: node + 1) { child in
            guard child < end else { return nil }
            defer { child = nodes[child].after }
            return child
        }
    }
}

/// Records each value as the scanner passes it.
private struct TapeRecorder: JSONObserver {
    private let base: UnsafePointer<UInt8>
    /// The index of the document's first byte in the bytes that it shares.
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
        guard var scanner = try? JSONScanner(document, limits: .unlimited) else { return nil }
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

    /// Marks the innermost open container, if it is an object.
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
