internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// A ``RecordSchema`` as stored in `siding_resources.schema`.
struct StoredSchema: Codable {
    private struct DeclaredColumn: Codable {
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
        var columns: [DeclaredColumn]
    }

    private struct Transforms: Codable {
        var `where`: String?
        var drop: [String]?
        var set: [Computed]?
        var rename: [String: String]?

        struct Computed: Codable {
            var name: String
            var expression: String
        }
    }

    private var columns: [DeclaredColumn]
    private var children: [Children]?
    /// The response to each kind of breach.
    private var contract: [String: String]?
    /// Limits of the history; without members, all versions are kept for ever.
    private var history: [String: Int64]?
    private var transforms: Transforms?

    private init(_ schema: RecordSchema) {
        columns = schema.columns.map(Self.stored)
        children = schema.children.isEmpty ? nil : schema.children.map(Self.stored)
        contract = schema.contract == RecordContract() ? nil : Self.stored(schema.contract)
        history = schema.history.map(Self.stored)
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
                HistoryRetention(
                    keep: stored["keep_us"].map { .microseconds($0) }, versions: stored["versions"].map { Int($0) })
            },
            transforms: stored.transforms.map(transforms) ?? RecordTransforms())
    }

    private static func stored(_ column: RecordColumn) -> DeclaredColumn {
        DeclaredColumn(
            name: column.name, path: column.path.description, type: column.type.name, format: column.type.format,
            index: column.isIndexed ? true : nil)
    }

    private static func column(_ stored: DeclaredColumn) -> RecordColumn? {
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

    private static func stored(_ history: HistoryRetention) -> [String: Int64] {
        var stored: [String: Int64] = [:]
        stored["keep_us"] = history.keep?.wholeMicroseconds
        stored["versions"] = history.versions.map { Int64($0) }
        return stored
    }

    private static func stored(_ transforms: RecordTransforms) -> Transforms {
        Transforms(
            where: transforms.condition?.description,
            drop: transforms.dropped.isEmpty ? nil : transforms.dropped.map(\.description),
            set: transforms.computed.isEmpty
                ? nil
                : transforms.computed.map { Transforms.Computed(name: $0.name, expression: $0.expression.description) },
            rename: transforms.renamed.isEmpty ? nil : transforms.renamed)
    }

    private static func transforms(_ stored: Transforms) -> RecordTransforms {
        RecordTransforms(
            condition: stored.where.flatMap { try? RecordExpression($0) },
            dropped: (stored.drop ?? []).compactMap { try? JSONPath(parsing: $0) },
            computed: (stored.set ?? []).compactMap { column in
                (try? RecordExpression(column.expression)).map { ComputedColumn(column.name, $0) }
            },
            renamed: stored.rename ?? [:])
    }

    private static func stored(_ contract: RecordContract) -> [String: String] {
        [
            "new_fields": contract.newFields.rawValue, "missing_key": contract.missingKey.rawValue,
            "type_change": contract.typeChange.rawValue,
        ]
    }

    private static func contract(_ stored: [String: String]) -> RecordContract {
        func response(_ name: String) -> RecordContract.Response? {
            stored[name].flatMap(RecordContract.Response.init)
        }
        return RecordContract(
            newFields: response("new_fields") ?? .allow, missingKey: response("missing_key") ?? .quarantine,
            typeChange: response("type_change") ?? .allow)
    }
}
