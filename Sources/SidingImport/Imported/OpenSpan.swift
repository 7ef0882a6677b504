// SPDX-License-Identifier: Apache-2.0
/// Bounds for spans of time that have no beginning.
enum OpenSpan {
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
    /// Makes sure that spans in requests have both ends in every sync: `{until}` is the moment at which a listing begins, once
    /// there is a cursor and if its values are times. A text with an unfilled placeholder is omitted, so that every sync would
    /// list everything, and a list element would mean something else without its value.
    ///
    /// - Parameter type: the cursor's format in requests.
    mutating func openSpans(_ type: String, _ imported: inout ImportedConfig) {
        var opening = SpanOpening(hasEnd: OpenSpan.start(type) != nil)
        var query = ConfigMap(from: query.origin)
        for entry in self.query.entries {
            guard let value = opening.opened(entry.value) else { continue }
            query.append(entry.name, value, comments: entry.comments)
        }
        self.query = query
        body = body.flatMap { opening.opened($0) }
        for span in opening.texts {
            imported.noteUnsupported(
                span, "one text holds both ends of a span, but a sync has an end only for times",
                hint: "each sync leaves it out and fetches everything: write the parameter with only {cursor}")
        }
        for (span, isKept) in opening.elements {
            imported.noteUnsupported(
                span, "an element of a list holds the end of a span, but a sync has an end only for times",
                hint: isKept ? "each sync sends the element without it" : "the element is left out")
        }
        if let element = opening.starts.first { addStart(for: element, &imported) }
    }

    /// Sets the cursor's `start`: the first listing has no cursor, and a list element would mean something else without it.
    private mutating func addStart(for element: Origin, _ imported: inout ImportedConfig) {
        guard cursor != nil, cursor?["start"] == nil else { return }
        let start = OpenSpan.start(cursor?["type"]?.scalar ?? "datetime")
        if let start { cursor?.set("start", .text(start, from: element)) }
        imported.noteUnsupported(
            element, "an element of a list needs the cursor, but the first listing has none",
            hint: start.map { "'start' of 'cursor' is \($0): change it by hand" }
                ?? "the first listing sends the element without it: write 'start' of 'cursor'")
    }
}

/// Finds the ends of spans in the values of one request, and leaves out list elements whose end has no value.
private struct SpanOpening {
    /// Whether `{until}` has a value wherever `{cursor}` has one.
    let hasEnd: Bool
    /// Texts that contain both ends, of which one never has a value.
    private(set) var texts: [Origin] = []
    /// Ends without a value in list elements, and whether the element is kept all the same.
    private(set) var elements: [(origin: Origin, isKept: Bool)] = []
    /// List elements that need the cursor.
    private(set) var starts: [Origin] = []

    init(hasEnd: Bool) { self.hasEnd = hasEnd }

    /// Nil if nothing is left.
    mutating func opened(_ value: ConfigNode) -> ConfigNode? {
        var whole: [Origin] = []
        return changed(value, inList: false, hasStart: false).withoutLost(&whole)
    }

    /// - Parameter hasStart: whether the innermost list element contains the beginning, too.
    private mutating func changed(_ value: ConfigNode, inList: Bool, hasStart: Bool) -> ConfigNode {
        switch value.content {
        case .scalar(let text, _):
            let (isStart, isEnd) = (text.contains("{cursor}"), text.contains("{until}"))
            if inList, isStart || isEnd && hasEnd { starts.append(value.origin) }
            guard isEnd, !hasEnd, isStart || inList else { return value }
            if isStart {
                texts.append(value.origin)
            } else {
                elements.append((value.origin, hasStart))
                if !hasStart { return .lost(from: value.origin) }
            }
            return value
        case .list:
            let holdsStart = value.flow.contains("{cursor}")
            return value.mappingChildren { item in
                let hasStart = item.scalar == nil ? item.flow.contains("{cursor}") : holdsStart
                return changed(item, inList: true, hasStart: hasStart)
            }
        case .map: return value.mappingChildren { changed($0, inList: inList, hasStart: hasStart) }
        }
    }
}
