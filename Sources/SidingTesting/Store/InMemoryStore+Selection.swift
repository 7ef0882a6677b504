public import Siding
internal import SidingJSON

extension InMemoryStore {
    public func select(_ selection: RecordSelection) throws(StoreError) -> RecordBatch {
        try read { (tables) throws(StoreError) in
            guard let resource = tables.resources[selection.resource] else {
                return RecordBatch(records: [], revision: 0)
            }
            return RecordBatch(records: try resource.selected(selection), revision: resource.revision)
        }
    }

    public func keys(_ selection: RecordSelection) throws(StoreError) -> [String] {
        try select(selection).records.map(\.key)
    }

    public func count(_ selection: RecordSelection) throws(StoreError) -> Int {
        try select(selection).records.count
    }

    public func records(_ lookup: RecordLookup) throws(StoreError) -> [Record] {
        try read { (tables) throws(StoreError) in
            guard let resource = tables.resources[lookup.resource] else { return [] }
            return lookup.keys.compactMap { resource.records[Array($0.utf8)] }.filter { record in
                (lookup.includesDeleted || record.deletedAt == nil)
                    && (lookup.filter.map { $0.isTrue(for: record.body) } ?? true)
            }
        }
    }

    public func changedKeys(of resource: String, since revision: Int64) throws(StoreError) -> ChangedKeys {
        try read { (tables) throws(StoreError) in
            guard let resource = tables.resources[resource], resource.revision > revision else {
                return ChangedKeys(revision: revision, keys: [])
            }
            let keys = resource.records.filter { $0.value.revision > revision }.keys
                .sorted { $0.lexicographicallyPrecedes($1) }
            return ChangedKeys(
                revision: resource.revision, keys: keys.map { String(decoding: $0, as: UTF8.self) })
        }
    }

    /// Words are runs of letters and digits, compared without case; a query in a search engine's own language is taken for
    /// words.
    public func search(_ search: TextSearch) throws(StoreError) -> [TextMatch] {
        guard !search.fields.isEmpty else {
            throw StoreError(.invalidQuery, "the resource '\(search.resource)' declares no searchable members")
        }
        let words = MemoryText.words(search.text.text)
        guard !words.isEmpty else { return [] }
        let records = try select(RecordSelection(of: search.resource)).records
        let matches = records.compactMap { record -> TextMatch? in
            let fields = search.fields.map { MemoryText.words(MemoryText.text(at: $0, in: record.body)) }
            let hits = search.text.hits(words, in: fields)
            return hits == 0 ? nil : TextMatch(record: record, rank: -Double(hits))
        }
        .sorted { $0.rank < $1.rank }
        return Array(matches.dropFirst(max(search.offset, 0)).prefix(max(search.limit, 0)))
    }
}

extension MemoryResource {
    func selected(_ selection: RecordSelection) throws(StoreError) -> [Record] {
        let start = selection.after.map { Array($0.utf8) }
        var found = records.filter { key, record in
            record.deletedAt == nil && (start.map { $0.lexicographicallyPrecedes(key) } ?? true)
                && (selection.filter.map { $0.isTrue(for: record.body) } ?? true)
        }
        .sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
        for order in selection.order.reversed() {
            // Sorting is stable: what this order leaves equal stays in the order of the ones after it.
            let values = found.map { MemoryCell($0.body, at: order.path) }
            let indices = found.indices.sorted { one, other in
                let isLess =
                    order.isDescending ? values[other].precedes(values[one]) : values[one].precedes(values[other])
                let isMore =
                    order.isDescending ? values[one].precedes(values[other]) : values[other].precedes(values[one])
                return isLess || (!isMore && one < other)
            }
            found = indices.map { found[$0] }
        }
        let rest = found.dropFirst(max(selection.offset, 0))
        return Array(selection.limit.map { rest.prefix(max($0, 0)) } ?? rest)
    }
}

/// Words as the in-memory search sees them.
private enum MemoryText {
    static func words(_ text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    static func text(at path: JSONPath, in body: [UInt8]) -> String {
        body.withUnsafeBytes { body in JSONMembers.value(at: path, in: body)?.text(in: body) ?? "" }
    }
}

extension TextSearch.Text {
    fileprivate var text: String {
        switch self {
        case .words(let text), .phrase(let text), .beginning(let text), .query(let text): text
        }
    }

    /// How many words match; 0 where not all do.
    fileprivate func hits(_ words: [String], in fields: [[String]]) -> Int {
        switch self {
        case .phrase:
            fields.count { field in
                field.indices.contains { field[$0...].starts(with: words) }
            }
        case .words, .beginning, .query:
            words.enumerated().reduce(into: 0) { total, word in
                guard total >= 0 else { return }
                let goesOn = isBeginning && word.offset == words.count - 1
                let hits = fields.joined().count { goesOn ? $0.hasPrefix(word.element) : $0 == word.element }
                total = hits == 0 ? -1 : total + hits
            }
            .clamped
        }
    }

    private var isBeginning: Bool {
        if case .beginning = self { true } else { false }
    }
}

extension Int {
    fileprivate var clamped: Int { Swift.max(self, 0) }
}
