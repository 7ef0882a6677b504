// SPDX-License-Identifier: Apache-2.0
/// Writes a value based on an older one's text: kept members keep every byte, including the whitespace around them.
///
/// Without an open object it writes the root value, and names are ignored.
struct ObjectWriter {
    private struct Frame {
        /// The object whose text is kept; nil for a new one.
        let kept: Int?
        var isEmpty = true
    }

    private(set) var bytes: [UInt8] = []
    private let tape: JSONTape
    private var frames: [Frame] = []

    /// - Parameter tape: the document whose text is kept.
    init(keeping tape: JSONTape) {
        self.tape = tape
    }

    /// Begins an object as the value of the last name.
    mutating func open(_ kept: Int?) {
        if bytes.isEmpty, let kept { bytes.reserveCapacity(tape.text(of: kept).count) }
        frames.append(Frame(kept: kept))
        bytes.append(UInt8(ascii: "{"))
    }

    /// Writes a member's name; its value must follow.
    ///
    /// - Parameters:
    ///   - kept: the member of the kept text; kept members must come in their order, before new ones.
    ///   - node: the member whose name is written if `kept` is nil.
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
        // All members were removed, so the whitespace between them is dropped, too.
        let hadMembers = tape.nodes[kept].after > kept + 1
        if frame.isEmpty, hadMembers { return bytes.append(UInt8(ascii: "}")) }
        bytes.append(contentsOf: tail(of: kept))
    }

    private func firstMember(of frame: Frame) -> Int {
        frame.kept.map { $0 + 1 } ?? JSONTape.root
    }

    /// The whitespace before a member's name, including its comma.
    private func gap(before member: Int) -> ArraySlice<UInt8> {
        let end = tape.nodes[member].name.lowerBound - 1
        let gap = tape.bytes[..<end].reversed().prefix { Self.isSpace($0) || $0 == UInt8(ascii: ",") }
        return tape.bytes[end - gap.count..<end]
    }

    /// The closing bracket and the whitespace before it.
    private func tail(of object: Int) -> ArraySlice<UInt8> {
        let end = tape.nodes[object].end
        let space = tape.bytes[..<(end - 1)].reversed().prefix(while: Self.isSpace)
        return tape.bytes[end - 1 - space.count..<end]
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
