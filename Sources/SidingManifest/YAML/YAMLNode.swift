/// A value of the configuration with its place, before anyone has said what it means.
///
/// Scalars keep their text as written: whether `no` is a word or a truth value is for the key to say, not for YAML.
package struct YAMLNode: Sendable {
    package enum Content: Sendable {
        case scalar(String, isPlain: Bool)
        case list([YAMLNode])
        case map([YAMLEntry])
    }

    package let place: Place
    package let content: Content
    /// Nodes in this tree with aliases counted as often as they are used.
    let size: Int
    /// Levels of this tree, aliases included.
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

    /// Nothing was written: an empty value, `~` or `null`.
    package var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// The text as written; nil for null, lists and maps.
    package var text: String? {
        guard case .scalar(let text, _) = content, !isNull else { return nil }
        return text
    }

    /// What it is, for a person.
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
