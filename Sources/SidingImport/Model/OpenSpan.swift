/// Spans of time without an end.
enum OpenSpan {
    /// A moment far ahead, by the type of cursors; nil for numbers and texts that are no moments.
    static func end(_ type: String) -> String? {
        switch type {
        case "datetime": "2100-01-01T00:00:00Z"
        case "date": "2100-01-01"
        case "epoch": "4102444800"
        case "epoch_ms": "4102444800000"
        default: nil
        }
    }
}

extension ImportedResource {
    /// Gives each text that holds both ends of a span one that is far ahead: a sync knows none, and a text of which a
    /// placeholder stands for nothing is left out whole, so that every sync would list everything.
    ///
    /// - Parameter type: how requests write the cursor.
    mutating func openSpans(_ type: String, _ manifest: inout ImportedManifest) {
        var origins: [Origin] = []
        let end = OpenSpan.end(type)
        for entry in query.entries {
            query.set(entry.name, entry.value.openingSpans(end, &origins))
        }
        body = body?.openingSpans(end, &origins)
        for origin in origins {
            manifest.leaveOut(
                origin, "one text holds both ends of a span, and a sync knows no end of it",
                hint: end.map { "\($0) stands for the end: see whether the origin takes one that far ahead" }
                    ?? "each sync leaves it out and lists everything: write the parameter with {cursor} alone")
        }
    }
}

extension ConfigNode {
    /// The value with `end` in the place of `{until}` where a text holds `{cursor}` as well, and where such texts are.
    fileprivate func openingSpans(_ end: String?, _ origins: inout [Origin]) -> ConfigNode {
        var node = self
        switch content {
        case .scalar(let text, let isPlain):
            guard text.contains("{cursor}"), text.contains("{until}") else { return self }
            origins.append(origin)
            if let end { node.content = .scalar(text.replacing("{until}", with: end), isPlain: isPlain) }
        case .list(let items): node.content = .list(items.map { $0.openingSpans(end, &origins) })
        case .map(let entries):
            node.content = .map(
                entries.map { entry in
                    ConfigEntry(
                        name: entry.name, value: entry.value.openingSpans(end, &origins), comments: entry.comments)
                })
        }
        return node
    }
}
