extension ConfigNode {
    /// What stands where a value could not be said, until it goes.
    static func lost(from origin: Origin) -> ConfigNode {
        var node = ConfigNode.text("", from: origin)
        node.isLost = true
        return node
    }

    /// The value without what is lost in it; nil where nothing is left of it.
    ///
    /// A member of a map goes alone. What a list holds means something else with a part of it: of two filters one would hold
    /// without its value. So the element goes whole, and so does what has lost all that it held.
    ///
    /// - Parameter elements: where elements went that lost but a part.
    func withoutLost(_ elements: inout [Origin]) -> ConfigNode? { remainder(&elements).node?.withWholeElements() }

    /// - Returns: what is left, and whether a value is lost that no element of a list took with it.
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

    /// The value with the elements of its lists bound together: what the grammar refuses of one takes it along.
    private func withWholeElements(inElement isInside: Bool = false) -> ConfigNode {
        var node = self
        switch content {
        case .scalar: node.isEssential = isEssential || isInside
        case .list(let items):
            let isPlain = items.allSatisfy { $0.scalar != nil }
            node.isEssential = isEssential || isInside && isPlain
            node.content = .list(
                items.map { item in
                    guard item.scalar == nil else { return item.withWholeElements(inElement: isInside) }
                    var element = item.withWholeElements(inElement: true)
                    element.isEssential = false
                    return element
                })
        case .map(let entries):
            node.isEssential = isEssential || isInside
            node.content = .map(
                entries.map { entry in
                    ConfigEntry(
                        name: entry.name, value: entry.value.withWholeElements(inElement: isInside),
                        comments: entry.comments)
                })
        }
        return node
    }

    /// The value with each of its texts as `text` says; nil for one that is lost.
    func replacingTexts(_ text: (String) -> String?) -> ConfigNode {
        var node = self
        switch content {
        case .scalar(let word, let isPlain):
            guard let other = text(word) else { return .lost(from: origin) }
            node.content = .scalar(other, isPlain: isPlain)
        case .list(let items): node.content = .list(items.map { $0.replacingTexts(text) })
        case .map(let entries):
            node.content = .map(
                entries.map {
                    ConfigEntry(name: $0.name, value: $0.value.replacingTexts(text), comments: $0.comments)
                })
        }
        return node
    }
}

extension ImportedManifest {
    /// Tells of elements of lists that went for want of a part.
    mutating func leaveOut(elements: [Origin]) {
        for origin in elements {
            leaveOut(
                origin, "an element of a list means something else without a part of it, and is left out whole",
                hint: "see whether the request means the same without it")
        }
    }
}
