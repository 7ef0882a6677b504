public import SidingJSON

/// What becomes of the origin's records before they are looked at: which ones are kept, what is not stored of them, and what
/// their view shows besides.
public struct RecordTransforms: Sendable, Hashable {
    /// Records of which this is not true are not kept, and a stored one of which it is no longer true becomes a tombstone;
    /// nil keeps all.
    public var condition: RecordExpression?
    /// Members that are not stored; each path leads through objects alone.
    public var dropped: [JSONPath]
    /// Columns that the view computes from the record.
    public var computed: [ComputedColumn]
    /// Columns that are called otherwise than their members, by member; for views that follow the records.
    public var renamed: [String: String]

    public init(
        condition: RecordExpression? = nil, dropped: [JSONPath] = [], computed: [ComputedColumn] = [],
        renamed: [String: String] = [:]
    ) {
        self.condition = condition
        self.dropped = dropped
        self.computed = computed
        self.renamed = renamed
    }

    /// - Throws: ``RecordShapeError`` where a view cannot be like that, or members are dropped that cannot be.
    func check(beside columns: [RecordColumn]) throws(RecordShapeError) {
        var known = Set(columns.map { $0.name.lowercased() })
        for name in computed.map(\.name) + renamed.values.sorted() {
            try RecordColumn.check(name: name)
            guard known.insert(name.lowercased()).inserted else {
                throw RecordShapeError("two columns are called '\(PlainText.oneLine(name, limit: 80))'")
            }
        }
        if !renamed.isEmpty, !columns.isEmpty {
            throw RecordShapeError("declared columns have their names already", hint: "rename them in columns")
        }
        for path in dropped { try Self.check(dropped: path) }
    }

    private static func check(dropped path: JSONPath) throws(RecordShapeError) {
        let leadsThroughObjects = path.components.allSatisfy { component in
            if case .member = component { true } else { false }
        }
        guard leadsThroughObjects, !path.components.isEmpty else {
            throw RecordShapeError(
                "\(path.shown) is no member that can be left out", hint: "members such as $.user.mail can")
        }
    }
}

/// A column that is computed from each record.
public struct ComputedColumn: Sendable, Hashable {
    public var name: String
    public var expression: RecordExpression

    public init(_ name: String, _ expression: RecordExpression) {
        (self.name, self.expression) = (name, expression)
    }
}
