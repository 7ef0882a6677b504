// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingManifest

/// A value of the imported file with its path.
struct InputNode: Sendable {
    let value: YAMLNode
    /// The path, such as `resources[0].endpoint`; empty for the whole file.
    let path: String

    init(_ value: YAMLNode, path: String) {
        (self.value, self.path) = (value, path)
    }

    var origin: Origin { Origin(path: path.isEmpty ? "the file" : path, place: value.place) }
    var isNull: Bool { value.isNull }
    var isMap: Bool { entries != nil }
    var isScalar: Bool { if case .scalar = value.content { !isNull } else { false } }

    /// Whether it is an empty text, list or map.
    var isVoid: Bool {
        switch value.content {
        case .scalar(let text, _): text.isEmpty
        case .list(let nodes): nodes.isEmpty
        case .map(let entries): entries.isEmpty
        }
    }

    /// Nil if it is not a map.
    var entries: [YAMLEntry]? {
        if case .map(let entries) = value.content { entries } else { nil }
    }

    /// The members of a map that are not null, in file order; empty for other values.
    var members: [(name: String, node: InputNode)] {
        (entries ?? []).filter { !$0.value.isNull }.map { ($0.name, child($0)) }
    }

    /// The items of a list; nil for other values.
    var items: [InputNode]? {
        guard case .list(let nodes) = value.content else { return nil }
        return nodes.enumerated().map { InputNode($1, path: "\(path)[\($0)]") }
    }

    /// The items of a list, or the value itself as the only item.
    var itemsOrSelf: [InputNode] { items ?? (isNull ? [] : [self]) }

    /// The member of that name; nil if it is missing or null.
    subscript(name: String) -> InputNode? {
        guard let entry = entries?.first(where: { $0.name == name }), !entry.value.isNull else { return nil }
        return child(entry)
    }

    /// The scalar's text; nil if it is empty.
    var text: String? { value.text.flatMap { $0.isEmpty ? nil : $0 } }

    /// The scalar's text, which may be empty.
    var rawText: String? { value.text }

    /// A whole number, with or without quotes.
    var integer: Int? { text.flatMap { Int($0) } }

    /// A Boolean, with or without quotes.
    var truth: Bool? {
        switch text?.lowercased() {
        case "true": true
        case "false": false
        default: nil
        }
    }

    /// The texts of a list of scalars, or of a single scalar.
    var texts: [String] { itemsOrSelf.compactMap(\.text) }

    private func child(_ entry: YAMLEntry) -> InputNode {
        InputNode(entry.value, path: Self.join(path, entry.name))
    }

    static func join(_ path: String, _ name: String) -> String {
        let shown = PlainText.oneLine(name, limit: 60)
        return path.isEmpty ? shown : "\(path).\(shown)"
    }
}

/// The origin of a part of the config in the imported file.
struct Origin: Sendable, Hashable {
    let path: String
    let place: Place
}
