public import SidingChain

/// The values for `{cursor}`, `{until}` and a parent's bound names in a query.
struct Placeholders: Sendable, Hashable {
    var cursor: String?
    var until: String?
    /// Whether cursor values are numbers, so that a placeholder alone in a JSON body becomes a number.
    var isNumber = false
    /// The values of other names; an unknown placeholder stays as it is.
    var bound: [String: String] = [:]

    /// The query with its placeholders filled. A parameter whose placeholder has no value is left out.
    func filled(_ query: [String: QueryValue]) -> [String: QueryValue] { query.compactMapValues(filled) }

    private func filled(_ value: QueryValue) -> QueryValue? {
        switch value {
        case .string(let text): filled(text).map(QueryValue.string)
        case .array(let values): .array(values.compactMap(filled))
        case .object(let members): .object(members.compactMapValues(filled))
        case .int, .double, .bool, .null: value
        }
    }

    /// The text with its placeholders filled; nil if one of them has no value.
    func filled(_ text: String) -> String? {
        // In one pass, so that braces in a value are no placeholders.
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
    /// Whether its requests contain `{until}`, the end of a cursor range.
    public var asksUntil: Bool {
        query.values.contains { $0.holds("{until}") } || body?.text.contains("{until}") ?? false
    }
}

extension QueryValue {
    /// Whether it contains `placeholder` anywhere.
    public func holds(_ placeholder: String) -> Bool {
        switch self {
        case .string(let text): text.contains(placeholder)
        case .array(let values): values.contains { $0.holds(placeholder) }
        case .object(let members): members.values.contains { $0.holds(placeholder) }
        case .int, .double, .bool, .null: false
        }
    }
}
