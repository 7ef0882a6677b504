// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingManifest

/// Writes a config as formatted text, with removed parts as comments in their place.
struct ConfigText {
    /// The maximum width; longer values are written over several lines.
    private static let width = 110

    private(set) var text = ""
    private var lines = 0
    /// The child indexes from the root of the value that begins on a line.
    private var paths: [Int: [Int]] = [:]

    init(_ root: ConfigNode, head: [String]) {
        for line in head { self.line("# \(Self.safe(line))", depth: 0) }
        guard case .map(let entries) = root.content else { return }
        append(entries, at: [])
    }

    /// The path of the innermost value that begins on the line of `place`; nil if none does.
    func path(at place: Place) -> [Int]? { paths[place.line] }

    private mutating func append(_ entries: [ConfigEntry], at path: [Int]) {
        for (index, entry) in entries.enumerated() {
            for comment in entry.comments { line("# \(Self.safe(comment))", depth: path.count) }
            append(entry, at: path + [index])
        }
    }

    private mutating func append(_ entry: ConfigEntry, at path: [Int]) {
        let (name, depth) = (ScalarText.text(entry.name, isPlain: false, inFlow: true), path.count - 1)
        guard entry.value.isLive else {
            return refused("\(name): ", entry.value, name: entry.name, depth: depth)
        }
        switch entry.value.content {
        case .scalar(let text, let isPlain):
            line("\(name): \(ScalarText.text(text, isPlain: isPlain, inFlow: false))", depth: depth, path)
        case .map(let entries) where isBlock(entry.value, under: name, depth: depth):
            line("\(name):", depth: depth, path)
            append(entries, at: path)
        case .list(let items) where isBlock(entry.value, under: name, depth: depth):
            line("\(name):", depth: depth, path)
            for (index, item) in items.enumerated() {
                if item.isLive {
                    line("- \(item.flow)", depth: depth + 1, path + [index])
                } else {
                    refused("- ", item, name: entry.name, depth: depth + 1)
                }
            }
        case .list, .map: line("\(name): \(entry.value.flow)", depth: depth, path)
        }
    }

    /// Whether to write a value over several lines: sources, resources and their members always are.
    private func isBlock(_ node: ConfigNode, under name: String, depth: Int) -> Bool {
        // With nothing but comments it would no longer be a map or a list.
        if node.isEmpty { return false }
        return depth < 2 || node.hasRefusals || depth * 2 + name.count + 2 + node.flow.count > Self.width
    }

    private mutating func refused(_ key: String, _ node: ConfigNode, name: String, depth: Int) {
        for refusal in node.refusals {
            let hint = refusal.hint.map { " / \($0)" } ?? ""
            line("# not converted: \(Self.safe(refusal.reason + hint))", depth: depth)
        }
        line("# \(key)\(Self.safe(node.withoutRefusals.withoutSecrets(under: name).flow, limit: 4000))", depth: depth)
    }

    private mutating func line(_ line: String, depth: Int, _ path: [Int]? = nil) {
        text += String(repeating: "  ", count: depth) + line + "\n"
        lines += 1
        paths[lines] = path
    }

    private static func safe(_ text: String, limit: Int = 600) -> String { PlainText.oneLine(text, limit: limit) }
}

extension ConfigNode {
    /// The complete value, with refused parts.
    var withoutRefusals: ConfigNode {
        var node = mappingChildren(\.withoutRefusals)
        node.refusal = nil
        return node
    }

    /// The value without literals under names of secrets, as the grammar did not check refused parts for them.
    func withoutSecrets(under name: String) -> ConfigNode {
        var node = self
        switch content {
        case .scalar(let text, _):
            if SecretWords.isSecret(name, text), !text.hasPrefix("$") { node.content = .scalar("…", isPlain: false) }
        case .list(let items): node.content = .list(items.map { $0.withoutSecrets(under: name) })
        case .map(let entries):
            let isReference = entries.count == 1 && entries.first?.name == "env"
            guard !isReference else { return self }
            let isInside = name != "auth" && SecretWords.holdsSecrets(name)
            node.content = .map(
                entries.map { entry in
                    let name = isInside ? name : entry.name
                    return ConfigEntry(name: entry.name, value: entry.value.withoutSecrets(under: name))
                })
        }
        return node
    }
}
