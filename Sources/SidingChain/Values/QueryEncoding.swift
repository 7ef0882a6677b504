// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// Encodes typed query parameters as the query of a URL, deterministically.
///
/// Names are sorted at every level. Every character outside the unreserved set of RFC 3986 §2.3 is percent-encoded, including
/// `+`, which form decoders read as a space. Empty arrays and objects are left out.
public struct QueryEncoding: Sendable, Hashable {
    /// How Booleans are written.
    public enum BoolStrategy: String, Sendable, Codable {
        /// `1` and `0`.
        case asInt = "int"
        /// `true` and `false`.
        case asBool = "text"
    }

    /// How lists are written.
    public enum ArrayStrategy: String, Sendable, Codable {
        /// `a[]=1&a[]=2`, the brackets encoded.
        case brackets
        /// `a=1&a=2`
        case noBrackets = "plain"
        /// `a=1,2`, each item encoded; a list that holds lists or objects has no such form and is written with brackets.
        case comma
    }

    /// Whether null is written.
    public enum NullStrategy: String, Sendable, Codable {
        /// The parameter is left out.
        case leaveOut = "leave_out"
        /// `n=`
        case empty
    }

    /// How objects are written.
    public enum DictionaryStrategy: String, Sendable, Codable {
        /// `d[age]=23`, the brackets encoded.
        case brackets
        /// `d.age=23`
        case dots
    }

    /// How Booleans are written; `flag=1` by default.
    public var bools: BoolStrategy
    /// How lists are written; `a[]=1&a[]=2` by default.
    public var arrays: ArrayStrategy
    /// Whether null is written; by default it is left out.
    public var nulls: NullStrategy
    /// How objects are written; `d[age]=23` by default.
    public var dictionaries: DictionaryStrategy

    /// By default: ints for Booleans, brackets for arrays and objects, nulls left out.
    public init(
        bools: BoolStrategy = .asInt, arrays: ArrayStrategy = .brackets, nulls: NullStrategy = .leaveOut,
        dictionaries: DictionaryStrategy = .brackets
    ) {
        (self.bools, self.arrays, self.nulls, self.dictionaries) = (bools, arrays, nulls, dictionaries)
    }

    /// The encoded query without `?`; empty if there are no fields.
    public func encode(_ parameters: [String: QueryValue]) -> String {
        guard !parameters.isEmpty else { return "" }
        var query = ""
        query.reserveCapacity(24 * parameters.count)
        forEachField(of: parameters) { field in
            if !query.isEmpty { query += "&" }
            query += Self.escape(field.name)
            query += "="
            query += Self.escape(field.value)
            for item in field.further {
                query += ","
                query += Self.escape(item)
            }
        }
        return query
    }

    /// `text` with every byte outside the unreserved set of RFC 3986 percent-encoded.
    package static func escape(_ text: String) -> String { PercentCoding.encode(text) }
}

/// One parameter with its full name, not escaped; shared by queries, forms and multipart bodies.
package struct QueryField: Sendable, Hashable {
    /// Such as `user[name]` or `tags[]`.
    package var name: String
    package var value: String
    /// The further values after commas, if a list is joined by them.
    package var further: [String] = []
}

extension QueryEncoding {
    /// Calls `body` with each encoded field of `parameters`, sorted by name at every level.
    package func forEachField(of parameters: [String: QueryValue], _ body: (QueryField) -> Void) {
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

    /// A comma-separated list. Lists and objects inside it cannot be expressed, so such a list is written with brackets.
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
