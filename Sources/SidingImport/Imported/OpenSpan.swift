/// Bounds for spans of time that have no end or no beginning.
enum OpenSpan {
    /// A time far in the future in the form of the cursor's type; nil for types that are not times.
    static func end(_ type: String) -> String? {
        switch type {
        case "datetime": "2100-01-01T00:00:00Z"
        case "date": "2100-01-01"
        case "epoch": "4102444800"
        case "epoch_ms": "4102444800000"
        default: nil
        }
    }

    /// The earliest time in the form of the cursor's type; nil for types that are not times.
    static func start(_ type: String) -> String? {
        switch type {
        case "datetime": "1970-01-01T00:00:00Z"
        case "date": "1970-01-01"
        case "epoch", "epoch_ms": "0"
        default: nil
        }
    }
}

extension ImportedResource {
    /// Replaces `{until}` by a time far in the future where a missing value would change the request. A sync knows no end of the
    /// span: a text with an unfilled placeholder is omitted, so that every sync would list everything, and a list element
    /// would mean something else without its value.
    ///
    /// - Parameter type: the cursor's format in requests.
    mutating func openSpans(_ type: String, _ manifest: inout ImportedManifest) {
        var opening = SpanOpening(type: type)
        var query = ConfigMap(from: query.origin)
        for entry in self.query.entries {
            guard let value = opening.opened(entry.value, isBody: false) else { continue }
            query.append(entry.name, value, comments: entry.comments)
        }
        self.query = query
        body = body.flatMap { opening.opened($0, isBody: true) }
        for span in opening.texts {
            manifest.noteUnsupported(
                span, "one text holds both ends of a span, but a sync has no end value",
                hint: opening.hint
                    ?? "each sync leaves it out and fetches everything: write the parameter with only {cursor}")
        }
        for (span, isKept) in opening.elements {
            manifest.noteUnsupported(
                span, "an element of a list holds the end of a span, but a sync has no end value",
                hint: opening.hint
                    ?? (isKept ? "each sync sends the element without it" : "the element is left out"))
        }
        if let element = opening.starts.first { addStart(for: element, &manifest) }
    }

    /// Sets the cursor's `start`: the first listing has no cursor, and a list element would mean something else without it.
    private mutating func addStart(for element: Origin, _ manifest: inout ImportedManifest) {
        guard cursor != nil, cursor?["start"] == nil else { return }
        let start = OpenSpan.start(cursor?["type"]?.scalar ?? "datetime")
        if let start { cursor?.set("start", .text(start, from: element)) }
        manifest.noteUnsupported(
            element, "an element of a list holds the cursor, but the first listing has none",
            hint: start.map { "'start' of 'cursor' is \($0): change it by hand" }
                ?? "the first listing sends the element without it: write 'start' of 'cursor'")
    }
}

/// Replaces the ends of spans in the values of one request.
private struct SpanOpening {
    let type: String
    /// Texts that contain both ends.
    private(set) var texts: [Origin] = []
    /// Ends in list elements, and whether the element is kept although there is no time to insert.
    private(set) var elements: [(origin: Origin, isKept: Bool)] = []
    /// Beginnings in list elements.
    private(set) var starts: [Origin] = []

    init(type: String) { self.type = type }

    private var end: String? { OpenSpan.end(type) }

    var hint: String? { end.map { "\($0) is used as the end: check whether the origin accepts it" } }

    /// Nil if nothing is left.
    mutating func opened(_ value: ConfigNode, isBody: Bool) -> ConfigNode? {
        var whole: [Origin] = []
        return changed(value, isBody: isBody, inList: false, hasStart: false).withoutLost(&whole)
    }

    /// - Parameter hasStart: whether the innermost list element contains the beginning, too.
    private mutating func changed(
        _ value: ConfigNode, isBody: Bool, inList: Bool, hasStart: Bool
    ) -> ConfigNode {
        var node = value
        switch value.content {
        case .scalar(let text, let isPlain):
            let (isStart, isEnd) = (text.contains("{cursor}"), text.contains("{until}"))
            if inList, isStart { starts.append(value.origin) }
            guard isEnd, isStart || inList else { return value }
            if isStart {
                texts.append(value.origin)
            } else {
                elements.append((value.origin, hasStart))
                if end == nil, !hasStart { return .lost(from: value.origin) }
            }
            guard let end else { return value }
            let isNumber = isBody && text == "{until}" && end.allSatisfy(\.isNumber)
            node.content = .scalar(text.replacing("{until}", with: end), isPlain: isPlain || isNumber)
        case .list(let items):
            let holdsStart = value.flow.contains("{cursor}")
            node.content = .list(
                items.map { item in
                    let hasStart = item.scalar == nil ? item.flow.contains("{cursor}") : holdsStart
                    return changed(item, isBody: isBody, inList: true, hasStart: hasStart)
                })
        case .map(let entries):
            node.content = .map(
                entries.map { entry in
                    let value = changed(entry.value, isBody: isBody, inList: inList, hasStart: hasStart)
                    return ConfigEntry(name: entry.name, value: value, comments: entry.comments)
                })
        }
        return node
    }
}
