// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingManifest

/// A value of the config being generated, with its origin in the input.
struct ConfigNode: Sendable {
    enum Content: Sendable {
        case scalar(String, isPlain: Bool)
        case list([ConfigNode])
        case map([ConfigEntry])
    }

    var content: Content
    let origin: Origin
    /// Whether the owner would mean something else without it, so that both are removed together.
    var isEssential = false
    /// Whether it could not be converted: it is removed, with owners to which it is essential.
    var isLost = false
    /// Why the grammar refuses it; nil if it is accepted.
    var refusal: Refusal?

    init(_ content: Content, from origin: Origin) {
        (self.content, self.origin) = (content, origin)
    }

    /// A refusal by the grammar.
    struct Refusal: Sendable {
        let reason: String
        let hint: String?
        /// The origin of the refused part: of the node itself or of something essential inside it.
        let origin: Origin
    }

    static func text(_ text: String, from origin: Origin) -> ConfigNode {
        ConfigNode(.scalar(text, isPlain: false), from: origin)
    }

    static func number(_ number: Int, from origin: Origin) -> ConfigNode {
        ConfigNode(.scalar(String(number), isPlain: true), from: origin)
    }

    static func truth(_ truth: Bool, from origin: Origin) -> ConfigNode {
        ConfigNode(.scalar(truth ? "true" : "false", isPlain: true), from: origin)
    }

    /// A map of texts, such as `{ type: cursor, path: $.next }`.
    static func texts(_ texts: KeyValuePairs<String, String>, from origin: Origin) -> ConfigNode {
        var map = ConfigMap(from: origin)
        for (name, text) in texts { map.set(name, .text(text, from: origin)) }
        return map.node
    }

    static func secret(_ variable: String, from origin: Origin) -> ConfigNode {
        texts(["env": variable], from: origin)
    }

    /// The same value, marked as essential to its owner.
    var essential: ConfigNode {
        var node = self
        node.isEssential = true
        return node
    }

    /// The text of a scalar; nil for lists and maps.
    var scalar: String? { if case .scalar(let text, _) = content { text } else { nil } }

    /// The values directly inside.
    var children: [ConfigNode] {
        switch content {
        case .scalar: []
        case .list(let items): items
        case .map(let entries): entries.map(\.value)
        }
    }

    /// The value with each value directly inside changed.
    func mappingChildren(_ change: (ConfigNode) -> ConfigNode) -> ConfigNode {
        var node = self
        switch content {
        case .scalar: break
        case .list(let items): node.content = .list(items.map(change))
        case .map(let entries):
            node.content = .map(
                entries.map { ConfigEntry(name: $0.name, value: change($0.value), comments: $0.comments) })
        }
        return node
    }

    func child(_ index: Int) -> ConfigNode {
        switch content {
        case .scalar: self
        case .list(let items): items[index]
        case .map(let entries): entries[index].value
        }
    }

    /// Whether it appears in the config: it is not refused, and not all of its content is.
    var isLive: Bool { refusal == nil && (isEssential || children.isEmpty || children.contains(where: \.isLive)) }

    /// The environment variables of all secrets that appear in the config.
    var variables: [String] {
        var names: Set<String> = []
        gather(&names)
        return names.sorted()
    }

    private func gather(_ names: inout Set<String>) {
        guard isLive else { return }
        if case .map(let entries) = content, entries.count == 1, entries[0].name == "env",
            case .scalar(let name, _) = entries[0].value.content
        {
            names.insert(name)
        }
        for child in children { child.gather(&names) }
    }

    var hasRefusals: Bool { children.contains { $0.refusal != nil || $0.hasRefusals } }

    /// Whether it is a list or a map in which nothing is accepted.
    var isEmpty: Bool {
        if case .scalar = content { return false }
        return children.allSatisfy { !$0.isLive }
    }
}

/// One key with its value.
struct ConfigEntry: Sendable {
    let name: String
    var value: ConfigNode
    /// Remarks, printed as comments above it.
    var comments: [String] = []
}

/// A map under construction.
struct ConfigMap: Sendable {
    let origin: Origin
    private(set) var entries: [ConfigEntry] = []
    private var indexes: [String: Int] = [:]

    init(from origin: Origin) {
        self.origin = origin
    }

    var node: ConfigNode { ConfigNode(.map(entries), from: origin) }
    var isEmpty: Bool { entries.isEmpty }

    subscript(name: String) -> ConfigNode? { indexes[name].map { entries[$0].value } }

    /// Sets `name`, replacing an earlier value; does nothing if `value` is nil.
    mutating func set(_ name: String, _ value: ConfigNode?, comments: [String] = []) {
        guard let value else { return }
        if let index = indexes[name] {
            entries[index].value = value
        } else {
            append(name, value, comments: comments)
        }
    }

    /// Adds an entry even if there is one of that name; the grammar then reports the duplicate.
    mutating func append(_ name: String, _ value: ConfigNode, comments: [String]) {
        indexes[name] = indexes[name] ?? entries.count
        entries.append(ConfigEntry(name: name, value: value, comments: comments))
    }
}

extension ConfigMap {
    /// The map without entries that contain one of `placeholders`.
    func without(_ placeholders: [String]) -> ConfigMap {
        var map = ConfigMap(from: origin)
        for entry in entries {
            let text = entry.value.flow
            guard !placeholders.contains(where: text.contains) else { continue }
            map.append(entry.name, entry.value, comments: entry.comments)
        }
        return map
    }

    /// Sets a text; does nothing if it is nil.
    mutating func set(_ name: String, text: String?) {
        set(name, text.map { .text($0, from: origin) })
    }

    mutating func set(_ name: String, number: Int?) {
        set(name, number.map { .number($0, from: origin) })
    }
}
