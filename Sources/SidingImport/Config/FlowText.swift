// SPDX-License-Identifier: Apache-2.0
internal import SidingManifest

/// The text of an imported config for a trial: the grammar reads it, and the position of each fault says which value it refused.
/// All is on one line (YAML's flow style), so a value is identified by its column alone.
struct FlowText {
    private(set) var text = ""
    private var column = 1
    /// The child indexes from the root of each value, by column.
    private var paths: [Int: [Int]] = [:]

    /// Omits refused values, and those that are empty without them.
    init(_ root: ConfigNode) {
        append(root, at: [])
    }

    /// The path of the value that begins, or whose key begins, at `place`; nil if none does.
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
    /// The value on one line, such as `{ type: page, start: 0 }`.
    var flow: String { FlowText(self).text }
}
