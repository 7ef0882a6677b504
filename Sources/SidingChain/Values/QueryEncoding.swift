// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// Encodes typed query parameters as the query of a URL, deterministically.
///
/// Names are sorted at every level. Every character outside the unreserved set of RFC 3986 §2.3 is percent-encoded, including
/// `+`, which form decoders read as a space. Empty arrays and objects are left out.
public struct QueryEncoding: Sendable {
    /// Whether null is written.
    public enum NullStrategy: Sendable {
        /// The parameter is left out.
        case leaveOut
        /// `n=`
        case empty
    }

    /// How Booleans are written; `flag=1` by default.
    public var bools: any BoolStrategy
    /// How lists are written; `a[]=1&a[]=2` by default.
    public var arrays: any ArrayStrategy
    /// Whether null is written; by default it is left out.
    public var nulls: NullStrategy
    /// How objects are written; `d[age]=23` by default.
    public var dictionaries: any DictionaryStrategy

    /// By default: ints for Booleans, brackets for arrays and objects, nulls left out.
    public init(
        bools: any BoolStrategy = .asInt, arrays: any ArrayStrategy = .brackets, nulls: NullStrategy = .leaveOut,
        dictionaries: any DictionaryStrategy = .brackets
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
        case .array(let items):
            list(name, items, body)
        case .object(let members):
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                walk(dictionaries.memberName(key, of: name), member, body)
            }
        case .null:
            if nulls == .empty { body(QueryField(name: name, value: "")) }
        case .string, .int, .double, .bool:
            body(QueryField(name: name, value: text(value)))
        }
    }

    private func list(_ name: String, _ items: [QueryValue], _ body: (QueryField) -> Void) {
        let written = items.enumerated().filter { $0.element != .null || nulls == .empty }
        guard arrays.joinsItems, written.allSatisfy(\.element.isScalar) else {
            for (place, item) in written { walk(arrays.itemName(place, of: name), item, body) }
            return
        }
        guard let first = written.first else { return }
        let further = written.dropFirst().map { text($0.element) }
        body(QueryField(name: name, value: text(first.element), further: further))
    }

    private func text(_ value: QueryValue) -> String {
        switch value {
        case .string(let text): text
        case .int(let number): String(number)
        case .double(let number): String(number)
        case .bool(let flag): bools.text(of: flag)
        case .null, .array, .object: ""
        }
    }
}

extension QueryEncoding: Hashable {
    public static func == (one: QueryEncoding, other: QueryEncoding) -> Bool {
        AnyHashable(one.bools) == AnyHashable(other.bools) && AnyHashable(one.arrays) == AnyHashable(other.arrays)
            && one.nulls == other.nulls && AnyHashable(one.dictionaries) == AnyHashable(other.dictionaries)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(bools)
        hasher.combine(arrays)
        hasher.combine(nulls)
        hasher.combine(dictionaries)
    }
}
