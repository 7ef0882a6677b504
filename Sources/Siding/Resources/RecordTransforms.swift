package import SidingJSON

/// Changes to the origin's records: which ones are kept, which members are not stored, and what columns the view adds or
/// renames.
package struct RecordTransforms: Sendable, Hashable, Codable {
    /// The filter: records for which it is not true are not kept, and stored ones become tombstones; nil keeps all.
    package var condition: RecordExpression?
    /// Members that are not stored; paths of nested objects, without array indexes.
    package var dropped: [JSONPath]
    /// Columns computed by the view.
    package var computed: [ComputedColumn]
    /// New names for inferred columns, by member.
    package var renamed: [String: String]

    package init(
        condition: RecordExpression? = nil, dropped: [JSONPath] = [], computed: [ComputedColumn] = [],
        renamed: [String: String] = [:]
    ) {
        self.condition = condition
        self.dropped = dropped
        self.computed = computed
        self.renamed = renamed
    }

    /// - Throws: ``RecordSchemaError`` for invalid columns, or members that cannot be dropped.
    func check(beside columns: [RecordColumn]) throws(RecordSchemaError) {
        var known = Set(columns.map { $0.name.lowercased() })
        for name in computed.map(\.name) + renamed.values.sorted() {
            try RecordColumn.check(name: name)
            guard known.insert(name.lowercased()).inserted else {
                throw RecordSchemaError("two columns are called '\(PlainText.oneLine(name, limit: 80))'")
            }
        }
        if !renamed.isEmpty, !columns.isEmpty {
            throw RecordSchemaError("declared columns have their names already", hint: "rename them in columns")
        }
        for path in dropped { try Self.check(dropped: path) }
    }

    private static func check(dropped path: JSONPath) throws(RecordSchemaError) {
        let leadsThroughObjects = path.components.allSatisfy { component in
            if case .member = component { true } else { false }
        }
        guard leadsThroughObjects, !path.components.isEmpty else {
            throw RecordSchemaError(
                "\(path.shown) is no member that can be left out", hint: "members such as $.user.mail can")
        }
    }
}

/// A column computed from each record.
package struct ComputedColumn: Sendable, Hashable, Codable {
    package var name: String
    package var expression: RecordExpression

    package init(_ name: String, _ expression: RecordExpression) {
        (self.name, self.expression) = (name, expression)
    }
}
