public import SidingChain

/// What stands for `{cursor}`, `{until}` and the bound names of a parent in a query.
struct Placeholders: Sendable, Hashable {
    var cursor: String?
    var until: String?
    /// Whether they are numbers, so that one that stands alone in a body of JSON is written as one.
    var isNumber = false
    /// What other names stand for; any that is not here stands for itself.
    var bound: [String: String] = [:]

    /// The query with its placeholders filled; a parameter whose placeholder stands for nothing is left out.
    func filled(_ query: [String: QueryValue]) -> [String: QueryValue] { query.compactMapValues(filled) }

    private func filled(_ value: QueryValue) -> QueryValue? {
        switch value {
        case .string(let text): filled(text).map(QueryValue.string)
        case .array(let values): .array(values.compactMap(filled))
        case .object(let members): .object(members.compactMapValues(filled))
        case .int, .double, .bool, .null: value
        }
    }

    /// The text with its placeholders filled; nil where one of them stands for nothing.
    func filled(_ text: String) -> String? {
        // In one pass: what a value holds is no placeholder.
        var (filled, rest) = ("", text[...])
        while let match = rest.firstMatch(of: Self.pattern) {
            let name = String(match.output.1)
            filled += rest[..<match.range.lowerBound]
            switch name {
            case "cursor", "until":
                guard let value = name == "cursor" ? cursor : until else { return nil }
                filled += value
            default: filled += bound[name] ?? String(match.output.0)
            }
            rest = rest[match.range.upperBound...]
        }
        return filled + rest
    }

    private static var pattern: Regex<(Substring, Substring)> { /\{([A-Za-z_][A-Za-z0-9_]*)\}/ }
}

extension AnyResource {
    /// Whether its requests say where a listing of changes ends.
    public var asksUntil: Bool {
        query.values.contains { $0.holds("{until}") } || body?.text.contains("{until}") ?? false
    }
}

extension QueryValue {
    /// Whether `placeholder` stands somewhere in it.
    public func holds(_ placeholder: String) -> Bool {
        switch self {
        case .string(let text): text.contains(placeholder)
        case .array(let values): values.contains { $0.holds(placeholder) }
        case .object(let members): members.values.contains { $0.holds(placeholder) }
        case .int, .double, .bool, .null: false
        }
    }
}
