// SPDX-License-Identifier: Apache-2.0
/// A value of the config with its position, before the grammar gives it a meaning.
///
/// Scalars keep their text as written: the key decides whether `no` is text or a Boolean, not YAML.
package struct YAMLNode: Sendable {
    package enum Content: Sendable {
        case scalar(String, isPlain: Bool)
        case list([YAMLNode])
        case map([YAMLEntry])
    }

    package let place: Place
    package let content: Content
    /// The number of nodes, counting aliases at each use.
    let size: Int
    /// The number of levels, aliases included.
    let height: Int

    package init(_ place: Place, _ content: Content) {
        self.place = place
        self.content = content
        let children: [YAMLNode]
        switch content {
        case .scalar: children = []
        case .list(let items): children = items
        case .map(let entries): children = entries.map(\.value)
        }
        size = children.reduce(1) { $0 + $1.size }
        height = 1 + (children.map(\.height).max() ?? 0)
    }

    /// Whether the value is empty, `~` or `null`.
    package var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// The text as written; nil for null, lists and maps.
    package var text: String? {
        guard case .scalar(let text, _) = content, !isNull else { return nil }
        return text
    }

    /// The kind of value, for messages.
    package var kind: String {
        switch content {
        case .scalar: isNull ? "empty" : "text"
        case .list: "a list"
        case .map: "a map"
        }
    }
}

/// One key of a map with its value.
package struct YAMLEntry: Sendable {
    package let name: String
    package let place: Place
    package let value: YAMLNode

    package init(name: String, place: Place, value: YAMLNode) {
        (self.name, self.place, self.value) = (name, place, value)
    }
}
