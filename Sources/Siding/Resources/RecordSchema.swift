// SPDX-License-Identifier: Apache-2.0
package import SidingJSON

/// The record schema of a resource: columns, contract, history and transforms. Of these, only ``RecordTransforms/dropped``
/// changes the stored body of a current record.
package struct RecordSchema: Sendable, Hashable, Codable {
    /// The declared columns. If there are any, the view has only these; otherwise its columns follow the members of the
    /// records.
    package var columns: [RecordColumn]
    /// Arrays inside the records whose elements have their own view.
    package var children: [RecordChildren]
    package var contract: RecordContract
    /// Which earlier versions of records are kept; nil for none.
    package var history: HistoryRetention?
    package var transforms: RecordTransforms

    package init(
        columns: [RecordColumn] = [], children: [RecordChildren] = [], contract: RecordContract = RecordContract(),
        history: HistoryRetention? = nil, transforms: RecordTransforms = RecordTransforms()
    ) {
        (self.columns, self.children, self.contract, self.history) = (columns, children, contract, history)
        self.transforms = transforms
    }

    /// A limit for readability; SQLite allows more.
    package static let maxColumns = 200

    /// - Throws: ``RecordSchemaError`` if no view can have this schema.
    package func check() throws(RecordSchemaError) {
        try Self.check(columns)
        try transforms.check(beside: columns)
        var known: Set<String> = []
        for child in children {
            try child.check()
            guard known.insert(child.name.lowercased()).inserted else {
                throw RecordSchemaError(
                    "two children are called '\(child.name)'", hint: "SQLite ignores upper and lower case in names")
            }
        }
        try checkUseOfDropped()
    }

    /// Dropped members are not stored, so nothing may refer to them.
    private func checkUseOfDropped() throws(RecordSchemaError) {
        let dropped = MemberRemoval(transforms.dropped)
        guard !dropped.isEmpty else { return }
        var uses: [(member: String, paths: [JSONPath])] = []
        if let condition = transforms.condition { uses.append(("'where'", condition.paths(beside: columns))) }
        for column in transforms.computed {
            uses.append(("'\(column.name)' in 'set'", column.expression.paths(beside: columns)))
        }
        for column in columns { uses.append(("the column '\(column.name)'", [column.path])) }
        for child in children { uses.append(("'\(child.name)' in 'children'", [child.path])) }
        for use in uses {
            guard let path = use.paths.first(where: { dropped.takes($0) }) else { continue }
            throw RecordSchemaError("\(use.member) uses \(path.shown), which is dropped", hint: "remove one of the two")
        }
    }

    /// Whether `where` differs, or names a column with another definition.
    func hasOtherCondition(than other: RecordSchema) -> Bool {
        let (condition, before) = (transforms.condition, other.transforms.condition)
        return condition != before || condition?.columns(among: columns) != before?.columns(among: other.columns)
    }

    static func check(_ columns: [RecordColumn]) throws(RecordSchemaError) {
        guard columns.count <= maxColumns else {
            throw RecordSchemaError("\(columns.count) columns; at most \(maxColumns) are allowed")
        }
        var known: Set<String> = []
        for column in columns {
            try column.check()
            guard known.insert(column.name.lowercased()).inserted else {
                throw RecordSchemaError(
                    "two columns are called '\(column.name)'", hint: "SQLite ignores upper and lower case in names")
            }
        }
    }
}

/// The rules that records must meet to be saved.
package struct RecordContract: Sendable, Hashable, Codable {
    /// What to do with a record that breaks a rule.
    package enum Response: String, Sendable, Hashable, Codable, CaseIterable {
        /// It is saved.
        case allow
        /// It is quarantined with the reason; the rest of its page is saved.
        case quarantine
        /// Nothing of its page is saved, and the listing stops there.
        case fail
    }

    /// For members that no record had before the first complete listing and that no column names.
    package var newFields: Response
    /// For records without a usable key; these cannot be allowed.
    package var missingKey: Response
    /// For values whose JSON type differs from their column's, or from those seen before; null has every type.
    package var typeChange: Response

    package init(newFields: Response = .allow, missingKey: Response = .quarantine, typeChange: Response = .allow) {
        self.newFields = newFields
        self.missingKey = missingKey == .allow ? .quarantine : missingKey
        self.typeChange = typeChange
    }

    /// Whether members must be checked in every record.
    var looksAtMembers: Bool { newFields != .allow || typeChange != .allow }

    /// The contract as text, for the stored definition.
    var text: String {
        "new_fields: \(newFields.rawValue), missing_key: \(missingKey.rawValue), type_change: \(typeChange.rawValue)"
    }
}

/// How long earlier versions of records are kept. The present version is always kept; an earlier one only while no rule removes
/// it.
package struct HistoryRetention: Sendable, Hashable, Codable {
    /// Removes versions that were replaced longer ago than this; nil keeps them for ever.
    package var keep: Duration?
    /// The maximum number of earlier versions per record; nil for no limit.
    package var versions: Int?

    /// Without a rule all versions are kept for ever.
    package init(keep: Duration? = nil, versions: Int? = nil) {
        (self.keep, self.versions) = (keep, versions)
    }
}

extension RecordSchema {
    /// The text of ``ResourceRow/storedSchema``; nil if nothing is declared.
    var stored: String? {
        get throws { self == RecordSchema() ? nil : try Store.json(self) }
    }

    /// Decodes the ``stored`` schema of a resource.
    ///
    /// - Throws: ``StoreError/Kind/corrupt``
    init(stored text: String?, of resource: String) throws {
        guard let text else { self.init(); return }
        self = try Store.decode(
            RecordSchema.self, text, as: "the stored record schema of '\(resource)'",
            hint: "'siding sync \(resource)' stores it again")
    }

    /// Whether both schemas have the same views, indexes and contract; the history may differ.
    func looksLike(_ other: RecordSchema) -> Bool {
        var same = self
        same.history = other.history
        return same == other
    }
}

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
        (self.condition, self.dropped, self.computed, self.renamed) = (condition, dropped, computed, renamed)
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
        guard path.memberNames != nil else {
            throw RecordSchemaError(
                "\(path.shown) is not a member that can be left out", hint: "members such as $.user.mail can")
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
