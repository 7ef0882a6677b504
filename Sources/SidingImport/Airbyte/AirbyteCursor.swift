// SPDX-License-Identifier: Apache-2.0
/// Converts an incremental_sync of type DatetimeBasedCursor to `cursor`.
struct AirbyteCursor {
    let cursor: AirbyteComponent
    let additions: AirbyteAdditions

    private static let known: Set<String> = [
        "type", "cursor_field", "datetime_format", "cursor_datetime_formats", "start_datetime", "end_datetime",
        "start_time_option", "end_time_option", "lookback_window", "step", "cursor_granularity", "is_data_feed",
        "is_client_side_incremental", "partition_field_start", "partition_field_end", "is_compare_strictly",
        "global_substream_cursor",
    ]

    func add(to resource: inout ImportedResource, _ source: String, _ imported: inout ImportedConfig) {
        guard cursor.type == nil || cursor.type == "DatetimeBasedCursor", let field = cursor["cursor_field"],
            let name = field.text
        else {
            return imported.noteUnsupported(
                cursor.origin, "the import supports DatetimeBasedCursor only", hint: "write 'cursor' by hand")
        }
        imported.noteUnsupported(membersOf: cursor.node, but: Self.known)
        addOption("start_time_option", "{cursor}", &resource, &imported)
        addOption("end_time_option", "{until}", &resource, &imported)
        let isFeed = cursor["is_data_feed"]?.truth == true
        let carriers = resource.query.entries.map(\.value) + [resource.body].compactMap(\.self)
        let isSent = carriers.contains { $0.flow.contains("{cursor}") }
        guard isFeed || isSent else {
            return imported.noteUnsupported(
                cursor.origin, "no parameter carries the cursor",
                hint: "each sync fetches everything; unchanged records are not written again")
        }
        guard case .literal(let plain) = cursor.fill(name, source).value else {
            return imported.noteUnsupported(field.origin, "the field depends on the user's configuration")
        }
        var map = ConfigMap(from: cursor.origin)
        guard let path = path(plain.split(separator: ".").map(String.init), field, &imported) else { return }
        map.set("path", ConfigNode.text(path, from: field.origin).essential)
        guard let kinds = kinds(&imported) else { return }
        if kinds.records != "datetime" { map.set("type", text: kinds.records) }
        if isSent, kinds.requests != kinds.records || isRewritten { map.set("format", text: kinds.requests) }
        addStart(kinds, source, &map, &imported)
        addSpan(&map, source, &imported)
        if isSent, kinds.requests == "datetime" { tellFormat(isLeft: kinds.records == "datetime", map, &imported) }
        if isFeed { map.set("order", text: "desc") }
        resource.cursor = map
        resource.openSpans(kinds.requests, &imported)
    }

    /// The cursor's path in the origin's records; nil after noting that it is not there.
    private func path(_ names: [String], _ field: InputNode, _ imported: inout ImportedConfig) -> String? {
        switch additions.place(of: names) {
        case .own: return ImportedPath.text(names)
        case .copied(let path): return path
        case .made:
            imported.noteUnsupported(
                field.origin, AirbyteAdditions.reason(names),
                hint: "each sync fetches everything; write 'cursor' by hand with a member that the origin sends")
            return nil
        }
    }

    private func addOption(
        _ name: String, _ placeholder: String, _ resource: inout ImportedResource, _ imported: inout ImportedConfig
    ) {
        guard let option = cursor.component(name) else { return }
        guard let place = AirbyteOption(option) else {
            return imported.noteUnsupported(
                option.origin, "siding.yaml does not support a cursor outside of query and body")
        }
        resource.set(place, to: .text(placeholder, from: option.origin))
    }

    // MARK: Formats

    /// How records and how requests write a moment; nil where one cannot be said, which has then been noted.
    private func kinds(_ imported: inout ImportedConfig) -> (records: String, requests: String)? {
        let requests = cursor["datetime_format"]
        let records = cursor["cursor_datetime_formats"]?.itemsOrSelf.first ?? requests
        guard let first = Self.kind(records?.text), let second = Self.kind(requests?.text ?? records?.text) else {
            imported.noteUnsupported(
                (records ?? requests)?.origin ?? cursor.origin, "siding.yaml does not support this time format",
                hint: "write 'cursor' by hand: datetime, date, epoch, epoch_ms, integer or text")
            return nil
        }
        return (first, second)
    }

    /// Whether requests write times in RFC 3339 and records write them differently.
    private var isRewritten: Bool {
        guard let records = cursor["cursor_datetime_formats"]?.itemsOrSelf.first?.text,
            let requests = cursor["datetime_format"]?.text, records != requests
        else { return false }
        return Self.isRFC3339(requests) && Self.kind(records) == "datetime"
    }

    private static func isRFC3339(_ format: String) -> Bool {
        format.wholeMatch(of: /%Y-%m-%dT%H:%M:%S(\.(%f|%3f|%_ms|%ms|0+))?(Z|%z|%:z|[+-]00:?00)/) != nil
    }

    /// Notes a request format that siding.yaml cannot write. The time is then sent as found or, with a lookback or a start, in
    /// RFC 3339.
    ///
    /// - Parameter isLeft: whether records contain formatted times, too, not numbers.
    private func tellFormat(isLeft: Bool, _ map: ConfigMap, _ imported: inout ImportedConfig) {
        guard let node = cursor["datetime_format"], let format = node.text, !Self.isRFC3339(format) else { return }
        let records = cursor["cursor_datetime_formats"]?.itemsOrSelf.first?.text ?? format
        guard !isLeft || records != format || map["lookback"] != nil || map["start"] != nil else { return }
        imported.noteUnsupported(
            node.origin, "siding.yaml cannot write a time as '\(format.prefix(60))'",
            hint: "it is sent as in the records, or as 2024-01-31T09:30:00Z: check whether the origin accepts that")
    }

    private static func kind(_ format: String?) -> String? {
        switch format {
        case nil: "datetime"
        case "%s", "%s_as_float": "epoch"
        case "%ms", "%epoch_milliseconds": "epoch_ms"
        case "%Y-%m-%d": "date"
        case let format?:
            format.hasPrefix("%Y-%m-%dT%H:%M") || format.hasPrefix("%Y-%m-%d %H:%M") ? "datetime" : nil
        }
    }

    // MARK: Start

    private func addStart(
        _ kinds: (records: String, requests: String), _ source: String, _ map: inout ConfigMap,
        _ imported: inout ImportedConfig
    ) {
        guard let node = cursor["start_datetime"] else { return }
        let start = node.isMap ? cursor.component("start_datetime")?["datetime"] ?? node : node
        guard let text = start.text else { return }
        let filled = cursor.fill(text, source)
        guard case .literal(let plain) = filled.value else {
            return imported.noteUnsupported(
                start.origin, "the start time depends on the user's configuration",
                hint: "the first listing fetches everything; 'start' of 'cursor' changes that")
        }
        for name in filled.assumed {
            imported.noteUnsupported(
                start.origin, "config '\(name.prefix(60))' is set by the user",
                hint: "'start' of 'cursor' has its default: change it by hand")
        }
        map.set("start", .text(Self.start(plain, kinds.records), from: start.origin))
    }

    private static func start(_ text: String, _ kind: String) -> String {
        switch kind {
        case "date": String(text.prefix(10))
        case "datetime": CursorStart.text(text, "datetime")
        default: text
        }
    }

    private func addSpan(_ map: inout ConfigMap, _ source: String, _ imported: inout ImportedConfig) {
        if let window = cursor["lookback_window"], let text = window.text {
            if case .literal(let plain) = cursor.fill(text, source).value, let lookback = AirbyteDuration.text(plain) {
                map.set("lookback", .text(lookback, from: window.origin))
            } else {
                imported.noteUnsupported(
                    window.origin, "the window is not a fixed time", hint: "write 'lookback' of 'cursor' by hand")
            }
        }
        if let step = cursor["step"] {
            imported.noteUnsupported(
                step.origin, "the listing is not split into steps: it goes from the cursor to the end",
                hint: "'siding sync --backfill A..B' fetches one span")
        }
        if let end = cursor["end_datetime"], end.text?.contains("now_utc") != true,
            end["datetime"]?.text?.contains("now_utc") != true
        {
            imported.noteUnsupported(
                end.origin, "a listing has no end value", hint: "'siding sync --backfill A..B' ends earlier")
        }
    }
}
