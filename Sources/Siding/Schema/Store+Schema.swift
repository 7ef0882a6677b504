// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingSQLite

extension Store {
    /// The records per read transaction; short ones, so that no writer is blocked.
    private static let portion = 1_000

    /// Examines stored records in short transactions, one body at a time.
    ///
    /// - Parameters:
    ///   - sample: the maximum number of records, spread over all; 0 for all.
    ///   - since: members first seen after this run are new; nil for the run before the newest.
    package func schema(of resource: String, sample: Int, since: RunID?) async throws(StoreError) -> ResourceSchema {
        let (view, count) = try await read { snapshot in
            guard let view = try ResourceView.load(named: resource, snapshot) else {
                throw StoreError(noResource: resource)
            }
            return (view, try view.table.count(snapshot).living)
        }
        let step = sample > 0 ? max((count + sample - 1) / sample, 1) : 1
        var inference = SchemaInference(columns: view.schema.columns)
        var place = (id: Int64.min, number: 0)
        while true {
            let (before, now) = (inference, place)
            let portion = try await read {
                try Self.examine(RecordsTable.load(view.resource, $0), from: now, step, before, $0)
            }
            (inference, place) = (portion.inference, portion.place)
            if portion.isLast { break }
        }
        let news = try await read { try FieldNews.load(of: view, since, $0) }
        return Self.schema(view, count, inference, news)
    }

    private struct Portion: Sendable {
        var inference: SchemaInference
        var place: (id: Int64, number: Int)
        var isLast: Bool
    }

    private static func examine(
        _ table: RecordsTable, from place: (id: Int64, number: Int), _ step: Int, _ inference: SchemaInference,
        _ snapshot: borrowing Snapshot
    ) throws -> Portion {
        var (inference, place, rows) = (inference, place, 0)
        // In row order: by key, each body would need its own seek.
        try snapshot.forEach(
            """
            SELECT rowid AS id, body FROM \(table.rows) WHERE rowid >= ?1 AND deleted_at IS NULL ORDER BY rowid LIMIT ?2
            """, place.id, Self.portion
        ) { row in
            if place.number % step == 0 { try row.withBytes("body") { inference.add($0) } }
            place = (try row.int("id") &+ 1, place.number + 1)
            rows += 1
        }
        // Behind the greatest number of a row there is none.
        return Portion(inference: inference, place: place, isLast: rows < Self.portion || place.id == .min)
    }

    private static func schema(
        _ view: ResourceView, _ count: Int, _ inference: SchemaInference, _ news: FieldNews
    ) -> ResourceSchema {
        let isDeclared = !view.schema.columns.isEmpty
        let columns =
            isDeclared
            ? view.schema.columns
            : view.followed.map { RecordColumn($0.name, .any, at: JSONPath(member: $0.member)) }
        let byPath = Dictionary(columns.map { ($0.path, $0) }) { first, _ in first }
        let followed = Set(view.columns.map { JSONPath(member: $0.member) })
        var fields = inference.fields(column: { byPath[$0]?.name }) { traits, path, column in
            FieldProblems.of(
                traits, type: byPath[path]?.type, isShown: column != nil || isDeclared,
                isReplaced: followed.contains(path), path)
        }
        for index in fields.indices {
            guard fields[index].path.components.count == 1,
                case .member(let name)? = fields[index].path.components.first
            else { continue }
            fields[index].isNew = news.members.contains(Array(name.utf8))
            fields[index].hasNewType = !fields[index].isNew && news.types.contains(Array(name.utf8))
        }
        var schema = ResourceSchema(
            resource: view.name, records: count, scanned: inference.scanned, since: news.since, fields: fields,
            isCut: inference.isCut)
        schema.computed = view.schema.transforms.computed.map(\.name)
        return schema
    }
}

/// The members and types first seen after a run.
struct FieldNews: Sendable {
    let since: RunID?
    var members: Set<[UInt8]> = []
    var types: Set<[UInt8]> = []

    /// - Parameter since: nil for the run before the newest; if there is none, nothing is new.
    static func load(
        of view: ResourceView, _ since: RunID?, _ database: borrowing some Queryable & ~Copyable
    ) throws -> FieldNews {
        let runs = try RunResourcesTable.newest(of: view.name, database)
        guard let since = since ?? (runs.count == 2 ? runs[1] : nil) else { return FieldNews(since: nil) }
        return try FieldsTable.news(of: view.resource, since: since, database)
    }
}

/// Describes why the view cannot show a field correctly.
enum FieldProblems {
    static func of(
        _ traits: ResourceSchema.Traits, type: ColumnType?, isShown: Bool, isReplaced: Bool, _ path: JSONPath
    ) -> [String] {
        var problems: [String] = []
        if !traits.isReachable {
            problems.append(
                "its name is written with escapes, under which SQLite does not find it: read it from the body")
        } else if !isShown, isReplaced {
            problems.append("a column of 'set' or 'rename' has its name: read it from the body")
        } else if !isShown, path.components.count == 1 {
            problems.append("the view has its \(RecordSchema.maxColumns) columns: read it from the body")
        }
        if traits.longIntegers > 0, type == nil || type == .any || type == .real {
            problems.append("\(traits.longIntegers) of its integers are beyond 64 bits: declare it as text")
        }
        if traits.textsWithNUL > 0 {
            problems.append(
                "\(traits.textsWithNUL) of its texts hold U+0000, where SQLite cuts them off: read it from the body")
        }
        if traits.misfits > 0, let type {
            problems.append("\(traits.misfits) of its values are not \(type.name), and shown as they are")
        }
        return problems
    }
}
