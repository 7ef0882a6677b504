internal import SidingJSON

/// The record schema of a resource: columns, contract, history and transforms. Only ``RecordTransforms/dropped`` changes what
/// is stored of a current record.
public struct RecordSchema: Sendable, Hashable {
    /// The columns of the resource's view, which then has only these; if empty, the view follows the records.
    public var columns: [RecordColumn]
    /// Arrays inside the records whose elements have their own view.
    public var children: [RecordChildren]
    public var contract: RecordContract
    /// Which earlier versions of records are kept; nil for none.
    public var history: HistoryRetention?
    public var transforms: RecordTransforms

    public init(
        columns: [RecordColumn] = [], children: [RecordChildren] = [], contract: RecordContract = RecordContract(),
        history: HistoryRetention? = nil, transforms: RecordTransforms = RecordTransforms()
    ) {
        self.columns = columns
        self.children = children
        self.contract = contract
        self.history = history
        self.transforms = transforms
    }

    /// A limit for readability; SQLite allows more.
    public static let mostColumns = 200

    /// - Throws: ``RecordSchemaError`` if no view can have this schema.
    public func check() throws(RecordSchemaError) {
        try Self.check(columns)
        try transforms.check(beside: columns)
        var known: Set<String> = []
        for child in children {
            try child.check()
            guard known.insert(child.name.lowercased()).inserted else {
                throw RecordSchemaError(
                    "two children are called '\(child.name)'", hint: "SQLite compares names without case")
            }
        }
        try checkUseOfDropped()
    }

    /// Dropped members are not stored, so nothing may refer to them.
    private func checkUseOfDropped() throws(RecordSchemaError) {
        let dropped = MemberRemoval(transforms.dropped)
        guard !dropped.isEmpty else { return }
        var uses: [(words: String, paths: [JSONPath])] = []
        if let condition = transforms.condition { uses.append(("'where'", condition.paths(beside: columns))) }
        for column in transforms.computed {
            uses.append(("'\(column.name)' in 'set'", column.expression.paths(beside: columns)))
        }
        for column in columns { uses.append(("the column '\(column.name)'", [column.path])) }
        for child in children { uses.append(("'\(child.name)' in 'children'", [child.path])) }
        for use in uses {
            guard let path = use.paths.first(where: { dropped.takes($0) }) else { continue }
            throw RecordSchemaError(
                "\(use.words) looks at \(path.shown), which is dropped", hint: "drop what nothing else needs")
        }
    }

    /// Whether `where` differs, or names a column with another definition.
    func hasOtherCondition(than other: RecordSchema) -> Bool {
        let (condition, before) = (transforms.condition, other.transforms.condition)
        return condition != before || condition?.columns(among: columns) != before?.columns(among: other.columns)
    }

    static func check(_ columns: [RecordColumn]) throws(RecordSchemaError) {
        guard columns.count <= mostColumns else {
            throw RecordSchemaError("\(columns.count) columns are more than \(mostColumns)")
        }
        var known: Set<String> = []
        for column in columns {
            try column.check()
            guard known.insert(column.name.lowercased()).inserted else {
                throw RecordSchemaError(
                    "two columns are called '\(column.name)'", hint: "SQLite compares names without case")
            }
        }
    }
}
