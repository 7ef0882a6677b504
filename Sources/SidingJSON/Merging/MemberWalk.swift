// SPDX-License-Identifier: Apache-2.0
/// Walks the members of several documents side by side, from the root down, without recursion.
///
/// The members of an object come in the order of the first document, followed by those that only the second has, and so on.
/// The caller decides for each member whether to enter it.
struct MemberWalk {
    enum Step {
        /// A member; the roots come first, as a member without a name.
        case member
        /// The end of the innermost entered object.
        case end
    }

    private struct Frame {
        /// The nodes of each name (a row), one column per document.
        let nodes: [Int?]
        var row = -1
    }

    private let tapes: [JSONTape]
    private var frames: [Frame]

    /// - Parameter roots: the root of each tape; nil for an absent document.
    init(_ tapes: [JSONTape], roots: [Int?]) {
        self.tapes = tapes
        frames = [Frame(nodes: roots)]
    }

    init(_ tapes: JSONTape...) {
        self.init(tapes, roots: tapes.map { _ in JSONTape.root })
    }

    /// Moves to the next step; nil at the end.
    mutating func next() -> Step? {
        frames[frames.count - 1].row += 1
        let innermost = frames[frames.count - 1]
        if innermost.row * tapes.count < innermost.nodes.count { return .member }
        frames.removeLast()
        return frames.isEmpty ? nil : .end
    }

    /// The current member in the document with that index; nil if it has none of this name.
    subscript(document: Int) -> Int? { node(frames[frames.count - 1], document) }

    /// The path of the current member.
    var path: JSONPath {
        JSONPath(
            components: frames.dropFirst().map { frame in
                let names = tapes.indices.lazy.compactMap { document in
                    node(frame, document).map { tapes[document].name(of: $0).string }
                }
                return .member(names.first ?? "")
            })
    }

    /// Enters the current member in all documents in which it is an object. An `end` step follows its members.
    mutating func enter() {
        var nodes: [Int?] = []
        var rows: [DecodedText: Int] = [:]
        for document in tapes.indices {
            guard let object = self[document], tapes[document].isObject(object) else { continue }
            for child in tapes[document].children(of: object) {
                let name = tapes[document].name(of: child)
                if let row = rows[name] {
                    nodes[row + document] = child
                } else {
                    rows[name] = nodes.count
                    for other in tapes.indices { nodes.append(other == document ? child : nil) }
                }
            }
        }
        frames.append(Frame(nodes: nodes))
    }

    private func node(_ frame: Frame, _ document: Int) -> Int? { frame.nodes[frame.row * tapes.count + document] }
}
