// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingSQLite

/// The JSON types of a member that were seen, as bits.
struct FieldKinds: OptionSet, Hashable {
    let rawValue: Int64

    static let string = FieldKinds(rawValue: 1)
    static let number = FieldKinds(rawValue: 2)
    static let boolean = FieldKinds(rawValue: 4)
    static let object = FieldKinds(rawValue: 8)
    static let array = FieldKinds(rawValue: 16)

    /// The types as a message: `a string`, `a number or an object`.
    var message: String {
        let all: [(FieldKinds, String)] = [
            (.string, "a string"), (.number, "a number"), (.boolean, "true or false"), (.object, "an object"),
            (.array, "an array"),
        ]
        let names = all.filter { contains($0.0) }.map(\.1)
        return names.isEmpty ? "null" : names.joined(separator: " or ")
    }
}

extension FieldKinds {
    /// Empty for null, which every type allows.
    init(_ kind: JSONKind) {
        self =
            switch kind {
            case .string: .string
            case .number: .number
            case .true, .false: .boolean
            case .object: .object
            case .array: .array
            case .null: []
            }
    }
}

/// The table `siding_fields`, for one resource: the members and types seen in its records, read and written once per page.
struct FieldsTable {
    struct Field {
        let name: String
        var kinds: FieldKinds
        var isNew = false
        var hasNewKinds = false
    }

    /// The maximum number of fields, for records whose members are keys of a map.
    static let mostFields = 2_000

    private let resource: Int64
    private(set) var fields: [Field]
    /// The index of each field, by the bytes of its name: Swift strings treat composed and decomposed letters as equal.
    private var places: [[UInt8]: Int]

    static func load(of resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> FieldsTable {
        let fields = try database.query("SELECT name, kinds FROM siding_fields WHERE resource = ?1", resource) { row in
            Field(name: try row.text("name"), kinds: FieldKinds(rawValue: try row.int("kinds")))
        }
        let places = Dictionary(uniqueKeysWithValues: fields.enumerated().map { (Array($1.name.utf8), $0) })
        return FieldsTable(resource: resource, fields: fields, places: places)
    }

    /// The members and types that were first seen after a run.
    static func news(
        of resource: Int64, since run: RunID, _ database: borrowing some Queryable & ~Copyable
    ) throws -> FieldNews {
        var news = FieldNews(since: run)
        try database.forEach("SELECT name, run, kinds_run FROM siding_fields WHERE resource = ?1", resource) { row in
            let name = try row.blob("name")
            if try row.int("run") > run { news.members.insert(name) }
            if try row.int("kinds_run") > run { news.types.insert(name) }
        }
        return news
    }

    func place(of name: String) -> Int? { places[Array(name.utf8)] }

    func kinds(of name: String) -> FieldKinds { place(of: name).map { fields[$0].kinds } ?? [] }

    /// The index of a member, which is added if it is new; nil if there is no room.
    mutating func add(_ name: String) -> Int? {
        let bytes = Array(name.utf8)
        if let place = places[bytes] { return place }
        guard fields.count < Self.mostFields else { return nil }
        fields.append(Field(name: name, kinds: [], isNew: true))
        places[bytes] = fields.count - 1
        return fields.count - 1
    }

    mutating func add(_ kinds: FieldKinds, at place: Int) {
        guard !fields[place].kinds.isSuperset(of: kinds) else { return }
        fields[place].kinds.formUnion(kinds)
        fields[place].hasNewKinds = true
    }

    mutating func add(_ member: JSONMember) {
        guard let place = add(member.name) else { return }
        add(FieldKinds(member.kind), at: place)
    }

    /// Writes new members and types.
    func save(run: RunID, _ transaction: borrowing Transaction) throws {
        for field in fields where field.isNew || field.hasNewKinds {
            try transaction.execute(
                """
                INSERT INTO siding_fields (resource, name, kinds, run, kinds_run) VALUES (?1, ?2, ?3, ?4, ?4)
                ON CONFLICT (resource, name) DO UPDATE SET kinds = kinds | excluded.kinds,
                    kinds_run = CASE WHEN kinds = 0 THEN kinds_run ELSE excluded.kinds_run END
                """, resource, field.name, field.kinds.rawValue, run)
        }
    }
}
