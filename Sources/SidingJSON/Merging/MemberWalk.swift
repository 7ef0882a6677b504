/// Goes through the members of several documents side by side, from the root down, without recursion.
///
/// The members of an object come in the order of the first document, then those that only the second has in its order, and
/// so on. Whoever walks decides at each member whether to go into it.
struct MemberWalk {
    enum Step {
        /// The next member; the roots come first, as a member without a name.
        case member
        /// The innermost object that was entered has no more members.
        case end
    }

    private struct Frame {
        /// Row by row, one place for each document: the node that has the row's name.
        let nodes: [Int?]
        var row = -1
    }

    private let tapes: [JSONTape]
    private var frames: [Frame]

    /// - Parameter roots: one for each tape; nil where there is no document.
    init(_ tapes: [JSONTape], roots: [Int?]) {
        self.tapes = tapes
        frames = [Frame(nodes: roots)]
    }

    init(_ tapes: JSONTape...) {
        self.init(tapes, roots: tapes.map { _ in JSONTape.root })
    }

    /// Steps on; nil when all has been gone through.
    mutating func next() -> Step? {
        frames[frames.count - 1].row += 1
        let innermost = frames[frames.count - 1]
        if innermost.row * tapes.count < innermost.nodes.count { return .member }
        frames.removeLast()
        return frames.isEmpty ? nil : .end
    }

    /// The current member in the document of that number; nil where it has none of that name.
    subscript(document: Int) -> Int? { node(frames[frames.count - 1], document) }

    /// Where the current member lies.
    var path: JSONPath {
        JSONPath(
            components: frames.dropFirst().map { frame in
                let names = tapes.indices.lazy.compactMap { document in
                    node(frame, document).map { tapes[document].name(of: $0).string }
                }
                return .member(names.first ?? "")
            })
    }

    /// Goes into the current member in those documents where it is an object. After the members comes an end.
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
