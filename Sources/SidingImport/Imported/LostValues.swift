// SPDX-License-Identifier: Apache-2.0
extension ConfigNode {
    /// A marker for a value that could not be converted, until it is removed.
    static func lost(from origin: Origin) -> ConfigNode {
        var node = ConfigNode.text("", from: origin)
        node.isLost = true
        return node
    }

    /// The value without its lost parts; nil if nothing is left.
    ///
    /// A member of a map is removed alone. An element of a list would mean something else without one of its parts, such as a
    /// filter without its value, so the whole element is removed. Containers that become empty are removed, too.
    ///
    /// - Parameter elements: receives the origins of removed elements that had lost only a part.
    func withoutLost(_ elements: inout [Origin]) -> ConfigNode? { remainder(&elements).node?.withWholeElements() }

    /// - Returns: the rest, and whether a lost value was not already removed with a list element.
    private func remainder(_ elements: inout [Origin]) -> (node: ConfigNode?, isLess: Bool) {
        guard !isLost else { return (nil, true) }
        var node = self
        switch content {
        case .scalar: return (self, false)
        case .list(let items):
            var (kept, isLess) = ([ConfigNode](), false)
            for item in items {
                let before = elements.count
                let rest = item.remainder(&elements)
                if !rest.isLess, let left = rest.node {
                    kept.append(left)
                } else if item.scalar != nil {
                    isLess = true
                } else {
                    elements.removeSubrange(before...)
                    elements.append(item.origin)
                }
            }
            guard !kept.isEmpty || items.isEmpty else { return (nil, true) }
            node.content = .list(kept)
            return (node, isLess)
        case .map(let entries):
            var (kept, isLess) = ([ConfigEntry](), false)
            for entry in entries {
                let rest = entry.value.remainder(&elements)
                isLess = isLess || rest.isLess
                guard let left = rest.node else { continue }
                kept.append(ConfigEntry(name: entry.name, value: left, comments: entry.comments))
            }
            guard !kept.isEmpty || entries.isEmpty else { return (nil, true) }
            node.content = .map(kept)
            return (node, isLess)
        }
    }

    /// The value with list elements made essential: if the grammar refuses a part, the whole element is removed.
    private func withWholeElements(inElement isInside: Bool = false) -> ConfigNode {
        guard case .list(let items) = content else {
            var node = mappingChildren { $0.withWholeElements(inElement: isInside) }
            node.isEssential = isEssential || isInside
            return node
        }
        var list = mappingChildren { item in
            guard item.scalar == nil else { return item.withWholeElements(inElement: isInside) }
            var element = item.withWholeElements(inElement: true)
            element.isEssential = false
            return element
        }
        list.isEssential = isEssential || isInside && items.allSatisfy { $0.scalar != nil }
        return list
    }

    /// The value with each text replaced by `text`; a nil result marks it as lost.
    func replacingTexts(_ text: (String) -> String?) -> ConfigNode {
        guard case .scalar(let word, let isPlain) = content else { return mappingChildren { $0.replacingTexts(text) } }
        guard let other = text(word) else { return .lost(from: origin) }
        var node = self
        node.content = .scalar(other, isPlain: isPlain)
        return node
    }
}

extension ImportedConfig {
    /// Notes the list elements that were removed because of a lost part.
    mutating func noteUnsupported(elements: [Origin]) {
        for origin in elements {
            noteUnsupported(
                origin, "a part of a list element cannot be converted, so the element is left out",
                hint: "check whether the request means the same without it")
        }
    }
}
