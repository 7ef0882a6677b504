internal import SidingManifest

/// A configuration on one line, in which every value has a column of its own: what the grammar says of a place is said of
/// one value.
struct FlowText {
    private(set) var text = ""
    private var column = 1
    /// Child indexes from the root, by column.
    private var paths: [Int: [Int]] = [:]

    /// Leaves out what was refused, and what is empty without it.
    init(_ root: ConfigNode) {
        append(root, at: [])
    }

    /// The value that begins, or whose key begins, at `place`; nil where none does.
    func path(at place: Place) -> [Int]? { place.line == 1 ? paths[place.column] : nil }

    private mutating func append(_ node: ConfigNode, at path: [Int]) {
        paths[column] = path
        switch node.content {
        case .scalar(let text, let isPlain): append(ScalarText.text(text, isPlain: isPlain, inFlow: true))
        case .list(let items):
            append("[")
            var isFirst = true
            for (index, item) in items.enumerated() where item.isLive {
                if !isFirst { append(", ") }
                isFirst = false
                append(item, at: path + [index])
            }
            append("]")
        case .map(let entries):
            append("{ ")
            var isFirst = true
            for (index, entry) in entries.enumerated() where entry.value.isLive {
                if !isFirst { append(", ") }
                isFirst = false
                paths[column] = path + [index]
                append(ScalarText.text(entry.name, isPlain: false, inFlow: true))
                append(": ")
                append(entry.value, at: path + [index])
            }
            append(isFirst ? "}" : " }")
        }
    }

    private mutating func append(_ part: String) {
        text += part
        column += part.unicodeScalars.count
    }
}

extension ConfigNode {
    /// The value on one line: `{ type: page, start: 0 }`.
    var flow: String { FlowText(self).text }
}
