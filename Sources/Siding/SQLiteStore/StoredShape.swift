internal import SidingJSON
internal import SidingSQLite

/// A ``RecordShape`` as `siding_resources.shape` holds it.
struct StoredShape: Codable {
    private struct Column: Codable {
        var name: String
        var path: String
        var type: String
        var format: String?
        var index: Bool?
    }

    private var columns: [Column]

    private init(_ shape: RecordShape) {
        columns = shape.columns.map(Self.stored)
    }

    /// Nil where nothing is declared.
    static func text(of shape: RecordShape) throws -> String? {
        shape == RecordShape() ? nil : try SQLiteStore.json(StoredShape(shape))
    }

    /// What `text` says; nothing where it says nothing that this version understands.
    static func shape(_ text: String?) -> RecordShape {
        guard let stored = SQLiteStore.decode(StoredShape.self, text) else { return RecordShape() }
        return RecordShape(columns: stored.columns.compactMap(Self.column))
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
}

extension ColumnType {
    /// The name in the config and in the file.
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

    fileprivate var format: String? {
        if case .datetime(let format) = self { format.rawValue } else { nil }
    }

    fileprivate init(name: String, format: String?) {
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
