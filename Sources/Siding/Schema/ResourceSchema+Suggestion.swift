internal import SidingJSON

extension ResourceSchema {
    /// YAML for the resource's `columns:` and `children:` that fit the stored records.
    public var suggestion: String {
        var lines: [String] = []
        // Declared columns replace renamed ones and are added to computed ones.
        var names = Set(computed.map { $0.lowercased() })
        for field in fields where field.traits.isReachable && lines.count < RecordSchema.mostColumns {
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

    private static func scalar(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }
}

extension ResourceSchema.Field {
    /// Whether queries are likely to look records up by it: the key of a record of another resource, by its name, or a moment.
    fileprivate var isWorthAnIndex: Bool {
        if suggestedType == "datetime" { return true }
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
        if kinds == [.string] { return traits.moments == types[0].count ? "datetime" : "text" }
        if kinds == [.array] { return "json" }
        return "any"
    }
}
