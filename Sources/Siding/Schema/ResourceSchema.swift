// SPDX-License-Identifier: Apache-2.0
public import SidingJSON

/// The fields of a resource's stored records, with counts.
public struct ResourceSchema: Sendable, Hashable {
    /// The name of the resource.
    public var resource: String
    /// The number of live records.
    public var records: Int
    /// The number of records examined, spread evenly over all.
    public var scanned: Int
    /// Members first seen after this run are new; nil if there was no run before the newest.
    public var since: RunID?
    /// In the order of their first occurrence; an object's members follow it.
    public var fields: [Field]
    /// Whether there are more fields than listed.
    public var isCut: Bool
    /// The names of computed columns.
    var computed: [String] = []

    /// One member of the records, at any depth.
    public struct Field: Sendable, Hashable {
        /// Where the records have it.
        public var path: JSONPath
        /// The column of the view that shows it; nil if there is none.
        public var column: String?
        /// The number of values by type, without null.
        public var types: [ValueTypeCount]
        /// The number of records that have it, including null.
        public var present: Int
        /// The number of records in which it is `null`.
        public var nulls: Int
        /// The number of examined records without it.
        public var missing: Int
        /// Whether no record before ``ResourceSchema/since`` had it. Only for top-level members.
        public var isNew: Bool
        /// Whether a type was first seen after ``ResourceSchema/since``.
        public var hasNewType: Bool
        /// Problems with showing it in the view, as messages.
        public var problems: [String]
        /// Details for ``ResourceSchema/suggestion``.
        var traits = Traits()
    }

    /// A type and its number of values.
    public struct ValueTypeCount: Sendable, Hashable {
        /// The type.
        public var type: ValueType
        /// The number of values of this type.
        public var count: Int
    }

    /// The JSON types that are counted. `integer` is a number without fraction and exponent, `real` one with either; null is
    /// counted in ``ResourceSchema/Field/nulls``.
    public enum ValueType: String, Sendable, Hashable, CaseIterable {
        case string, integer, real, boolean, object, array
    }

    struct Traits: Sendable, Hashable {
        var moments = 0
        var days = 0
        var longIntegers = 0
        var textsWithNUL = 0
        var misfits = 0
        var arraysOfObjects = 0
        var isReachable = true
    }

    /// The default number of records to examine.
    public static let defaultSample = 100_000
    /// The maximum number of fields to list.
    package static let maxFields = 1_000
}

extension ResourceSchema {
    /// YAML for the resource's `columns:` and `children:` that fit the stored records.
    public var suggestion: String {
        var lines: [String] = []
        // Declared columns replace renamed ones and are added to computed ones.
        var names = Set(computed.map { $0.lowercased() })
        for field in fields where field.traits.isReachable && lines.count < RecordSchema.maxColumns {
            // Objects are represented by their members.
            guard let type = field.suggestedType else { continue }
            let name = Self.name(of: field.path, as: field.column, &names)
            lines.append(
                "  \(Self.quoted(name)): \(Self.column(name, type, field.path, isIndexed: field.isWorthAnIndex))")
        }
        var text = lines.isEmpty ? "" : "columns:\n\(lines.joined(separator: "\n"))\n"
        let children = fields.filter { $0.traits.arraysOfObjects > 0 && $0.traits.isReachable }
        if !children.isEmpty {
            var names: Set<String> = []
            text += "children:\n"
            for field in children {
                let name = Self.name(of: field.path, &names)
                let path = field.path.appending(.each).description
                text += "  \(Self.quoted(name)): { path: \(Self.scalar(path)) }\n"
            }
        }
        return text
    }

    private static func column(_ name: String, _ type: String, _ path: JSONPath, isIndexed: Bool) -> String {
        let isOwn = path == JSONPath(member: name)
        if type == "any" { return scalar(path.description) }
        if isOwn, !isIndexed { return type }
        let parts =
            ["type: \(type)"] + (isOwn ? [] : ["path: \(scalar(path.description))"])
            + (isIndexed ? ["index: true"] : [])
        return "{ \(parts.joined(separator: ", ")) }"
    }

    /// A unique column name: the present one, or `user_login` for `$.user.login`.
    private static func name(of path: JSONPath, as column: String? = nil, _ taken: inout Set<String>) -> String {
        let parts = path.components.compactMap { if case .member(let name) = $0 { name } else { nil } }
        // A member named like one of Siding's own columns has another name in the view, which no declaration may use.
        let shown = column.flatMap { $0.lowercased().hasPrefix("siding_") ? nil : $0 }
        var wanted = String((shown ?? parts.joined(separator: "_")).prefix(60))
        if wanted.lowercased().hasPrefix("siding_") { wanted = "of_" + wanted }
        var name = wanted
        var suffix = 2
        while !taken.insert(name.lowercased()).inserted {
            name = "\(wanted)_\(suffix)"
            suffix += 1
        }
        return name
    }

    /// A key, quoted if YAML would not read it as text.
    private static func quoted(_ name: String) -> String {
        let words: Set = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"]
        let isPlain = name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil && !words.contains(name.lowercased())
        return isPlain ? name : scalar(name)
    }

    private static func scalar(_ text: String) -> String { "'\(text.escaping(["'": "''"]))'" }
}

extension ResourceSchema.Field {
    /// Whether queries are likely to look records up by it: the key of a record of another resource, by its name, or a moment.
    fileprivate var isWorthAnIndex: Bool {
        if ["datetime", "date"].contains(suggestedType) { return true }
        guard ["integer", "text"].contains(suggestedType), case .member(let name)? = path.components.last else {
            return false
        }
        return name.hasSuffix("_id") || name.hasSuffix("Id") || name == "id" && path.components.count > 1
    }

    /// The type to suggest; nil if the field is better shown by its parts.
    fileprivate var suggestedType: String? {
        let kinds = Set(types.map(\.type))
        if kinds == [.object] || (kinds == [.array] && traits.arraysOfObjects > 0) { return nil }
        if kinds == [.integer] { return traits.longIntegers > 0 ? "text" : "integer" }
        if kinds == [.real] || kinds == [.integer, .real] { return "real" }
        if kinds == [.boolean] { return "boolean" }
        if kinds == [.string] {
            let count = types[0].count
            return traits.moments == count ? "datetime" : traits.days == count ? "date" : "text"
        }
        if kinds == [.array] { return "json" }
        return "any"
    }
}
