internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// A ``RecordSchema`` as stored in `siding_resources.schema`.
struct StoredSchema: Codable {
    private struct Column: Codable {
        var name: String
        var path: String
        var type: String
        var format: String?
        var index: Bool?
    }

    private struct Children: Codable {
        var name: String
        var path: String
        var key: String?
        var columns: [Column]
    }

    private struct Contract: Codable {
        var newFields: String
        var missingKey: String
        var typeChange: String

        enum CodingKeys: String, CodingKey {
            case newFields = "new_fields"
            case missingKey = "missing_key"
            case typeChange = "type_change"
        }
    }

    /// Without members, all versions are kept for ever.
    private struct History: Codable {
        var keep: Int64?
        var versions: Int?

        enum CodingKeys: String, CodingKey {
            case keep = "keep_us"
            case versions
        }
    }

    private struct Transforms: Codable {
        var condition: String?
        var dropped: [String]?
        var computed: [Computed]?
        var renamed: [String: String]?

        struct Computed: Codable {
            var name: String
            var expression: String
        }

        enum CodingKeys: String, CodingKey {
            case condition = "where"
            case dropped = "drop"
            case computed = "set"
            case renamed = "rename"
        }
    }

    private var columns: [Column]
    private var children: [Children]?
    private var contract: Contract?
    private var history: History?
    private var transforms: Transforms?

    private init(_ schema: RecordSchema) {
        columns = schema.columns.map(Self.stored)
        children = schema.children.isEmpty ? nil : schema.children.map(Self.stored)
        contract = schema.contract == RecordContract() ? nil : Self.stored(schema.contract)
        history = schema.history.map { History(keep: $0.keep?.wholeMicroseconds, versions: $0.versions) }
        transforms = schema.transforms == RecordTransforms() ? nil : Self.stored(schema.transforms)
    }

    /// The text to store; nil if nothing is declared.
    static func text(of schema: RecordSchema) throws -> String? {
        schema == RecordSchema() ? nil : try Store.json(StoredSchema(schema))
    }

    /// Decodes `text`; an empty schema if this version does not understand it.
    static func schema(_ text: String?) -> RecordSchema {
        guard let text, let stored = Store.decode(StoredSchema.self, text) else { return RecordSchema() }
        return RecordSchema(
            columns: stored.columns.compactMap(column), children: (stored.children ?? []).compactMap(children),
            contract: stored.contract.map(contract) ?? RecordContract(),
            history: stored.history.map { stored in
                HistoryRetention(keep: stored.keep.map { .microseconds($0) }, versions: stored.versions)
            },
            transforms: stored.transforms.map(transforms) ?? RecordTransforms())
    }

    private static func stored(_ column: RecordColumn) -> Column {
        Column(
            name: column.name, path: column.path.description, type: column.type.name, format: column.type.format,
            index: column.isIndexed ? true : nil)
    }

    private static func column(_ stored: Column) -> RecordColumn? {
        guard let path = try? JSONPath(parsing: stored.path) else { return nil }
        let type = ColumnType(name: stored.type, format: stored.format)
        return RecordColumn(stored.name, type, at: path, isIndexed: stored.index ?? false)
    }

    private static func stored(_ children: RecordChildren) -> Children {
        Children(
            name: children.name, path: children.path.description, key: children.key?.description,
            columns: children.columns.map(stored))
    }

    private static func children(_ stored: Children) -> RecordChildren? {
        guard let path = try? JSONPath(parsing: stored.path) else { return nil }
        return RecordChildren(
            stored.name, at: path, key: stored.key.flatMap { try? JSONPath(parsing: $0) },
            columns: stored.columns.compactMap(column))
    }

    private static func stored(_ transforms: RecordTransforms) -> Transforms {
        Transforms(
            condition: transforms.condition?.description,
            dropped: transforms.dropped.isEmpty ? nil : transforms.dropped.map(\.description),
            computed: transforms.computed.isEmpty
                ? nil
                : transforms.computed.map { Transforms.Computed(name: $0.name, expression: $0.expression.description) },
            renamed: transforms.renamed.isEmpty ? nil : transforms.renamed)
    }

    private static func transforms(_ stored: Transforms) -> RecordTransforms {
        RecordTransforms(
            condition: stored.condition.flatMap { try? RecordExpression($0) },
            dropped: (stored.dropped ?? []).compactMap { try? JSONPath(parsing: $0) },
            computed: (stored.computed ?? []).compactMap { column in
                (try? RecordExpression(column.expression)).map { ComputedColumn(column.name, $0) }
            },
            renamed: stored.renamed ?? [:])
    }

    private static func stored(_ contract: RecordContract) -> Contract {
        Contract(
            newFields: contract.newFields.rawValue, missingKey: contract.missingKey.rawValue,
            typeChange: contract.typeChange.rawValue)
    }

    private static func contract(_ stored: Contract) -> RecordContract {
        RecordContract(
            newFields: .init(rawValue: stored.newFields) ?? .allow,
            missingKey: .init(rawValue: stored.missingKey) ?? .quarantine,
            typeChange: .init(rawValue: stored.typeChange) ?? .allow)
    }
}

extension ColumnType {
    /// The type's name in the config and in the database.
    public var name: String {
        switch self {
        case .any: "any"
        case .integer: "integer"
        case .real: "real"
        case .text: "text"
        case .boolean: "boolean"
        case .datetime: "datetime"
        case .json: "json"
        }
    }

    /// The format of a datetime; nil for other types.
    var format: String? {
        if case .datetime(let format) = self { format.rawValue } else { nil }
    }

    init(name: String, format: String?) {
        switch name {
        case "integer": self = .integer
        case "real": self = .real
        case "text": self = .text
        case "boolean": self = .boolean
        case "datetime": self = .datetime(format.flatMap(TimeFormat.init) ?? .rfc3339)
        case "json": self = .json
        default: self = .any
        }
    }
}
