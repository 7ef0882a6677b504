/// One parameter with its whole name, not escaped: what a query, a form and a multipart body have in common.
struct QueryField: Sendable, Hashable {
    /// Such as `user[name]` or `tags[]`.
    var name: String
    var value: String
    /// What follows behind commas, where a list is joined by them.
    var further: [String] = []
}

extension QueryEncoding {
    /// Tells `body` each field that `parameters` make by these strategies, sorted by name at every level.
    func forEachField(of parameters: [String: QueryValue], _ body: (QueryField) -> Void) {
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) { walk(name, value, body) }
    }

    private func walk(_ name: String, _ value: QueryValue, _ body: (QueryField) -> Void) {
        switch value {
        case .array(let items) where arrays == .comma:
            joined(name, items, body)
        case .array(let items):
            for item in items { walk(name + itemSuffix, item, body) }
        case .object(let members):
            for (key, member) in members.sorted(by: { $0.key < $1.key }) { walk(memberName(name, key), member, body) }
        case .null:
            if nulls == .empty { body(QueryField(name: name, value: "")) }
        case .string, .int, .double, .bool:
            body(QueryField(name: name, value: text(value)))
        }
    }

    private var itemSuffix: String { arrays == .noBrackets ? "" : "[]" }

    private func memberName(_ name: String, _ key: String) -> String {
        dictionaries == .brackets ? "\(name)[\(key)]" : "\(name).\(key)"
    }

    /// A list between commas. Lists and objects inside it would be lost there, so such a list is written in brackets.
    private func joined(_ name: String, _ items: [QueryValue], _ body: (QueryField) -> Void) {
        let written = items.filter { $0 != .null || nulls == .empty }
        guard written.allSatisfy(\.isScalar) else {
            for item in written { walk(name + itemSuffix, item, body) }
            return
        }
        guard let first = written.first else { return }
        body(QueryField(name: name, value: text(first), further: written.dropFirst().map(text)))
    }

    private func text(_ value: QueryValue) -> String {
        switch value {
        case .string(let text): text
        case .int(let number): String(number)
        case .double(let number): String(number)
        case .bool(let flag): bools == .asInt ? (flag ? "1" : "0") : (flag ? "true" : "false")
        case .null, .array, .object: ""
        }
    }
}

extension QueryValue {
    /// Whether the value is no list and no object.
    var isScalar: Bool {
        switch self {
        case .array, .object: false
        case .string, .int, .double, .bool, .null: true
        }
    }

    /// The kind of the value, in words for an error.
    var kind: String {
        switch self {
        case .array: "a list"
        case .object: "an object"
        case .null: "null"
        case .string: "a text"
        case .int, .double: "a number"
        case .bool: "a truth value"
        }
    }
}
