/// Writes a value from the text of an older one: members that are kept keep every byte, and so does the space around them.
///
/// With no object open the value is the root's, and a name is not written.
struct ObjectWriter {
    private struct Frame {
        /// The object whose text is kept; nil for a new one.
        let kept: Int?
        var isEmpty = true
    }

    private(set) var bytes: [UInt8] = []
    private let tape: JSONTape
    private var frames: [Frame] = []

    /// - Parameter tape: of the document whose text is kept.
    init(keeping tape: JSONTape) {
        self.tape = tape
    }

    /// Begins the object that is the value of the last name.
    mutating func open(_ kept: Int?) {
        if bytes.isEmpty, let kept { bytes.reserveCapacity(tape.text(of: kept).count) }
        frames.append(Frame(kept: kept))
        bytes.append(UInt8(ascii: "{"))
    }

    /// A name up to its value, which comes next.
    ///
    /// - Parameters:
    ///   - kept: the member of the text that is kept; kept members come in their order, before new ones.
    ///   - node: the member whose name is written where none is kept.
    ///   - other: the document of `node`.
    mutating func name(_ kept: Int?, or node: Int?, of other: JSONTape) {
        guard let last = frames.indices.last else { return }
        if let kept {
            bytes.append(contentsOf: gap(before: frames[last].isEmpty ? firstMember(of: frames[last]) : kept))
            bytes.append(contentsOf: tape.bytes[tape.nodes[kept].name.lowerBound - 1..<tape.nodes[kept].start])
        } else if let node {
            if !frames[last].isEmpty { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: other.quotedName(of: node))
            bytes.append(UInt8(ascii: ":"))
        }
        frames[last].isEmpty = false
    }

    mutating func value(_ text: ArraySlice<UInt8>) {
        bytes.append(contentsOf: text)
    }

    /// Ends the innermost object.
    mutating func close() {
        guard let frame = frames.popLast() else { return }
        guard let kept = frame.kept else { return bytes.append(UInt8(ascii: "}")) }
        // Nothing is left of an object that had members: nor of the space between them.
        let hadMembers = tape.nodes[kept].after > kept + 1
        if frame.isEmpty, hadMembers { return bytes.append(UInt8(ascii: "}")) }
        bytes.append(contentsOf: tail(of: kept))
    }

    private func firstMember(of frame: Frame) -> Int {
        frame.kept.map { $0 + 1 } ?? JSONTape.root
    }

    /// The space before a member's name, with the comma that stands in it.
    private func gap(before member: Int) -> ArraySlice<UInt8> {
        let end = tape.nodes[member].name.lowerBound - 1
        let gap = tape.bytes[..<end].reversed().prefix { Self.isSpace($0) || $0 == UInt8(ascii: ",") }
        return tape.bytes[end - gap.count..<end]
    }

    /// The closing bracket and the space before it.
    private func tail(of object: Int) -> ArraySlice<UInt8> {
        let end = tape.nodes[object].end
        let space = tape.bytes[..<(end - 1)].reversed().prefix(while: Self.isSpace)
        return tape.bytes[end - 1 - space.count..<end]
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
