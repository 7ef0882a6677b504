internal import SidingSynchronization

/// One parameter of a query as it is written there.
package struct QueryParameter: Sendable, Hashable {
    /// Decoded: `%6Bey` and `key` are one name.
    package let name: String
    /// Percent-encoded, with its name: `name=value`, or `name` alone.
    package let text: Substring

    /// - Parameter text: what stands between two `&`.
    init(_ text: Substring) {
        (name, self.text) = (HTTPURL.decode(String(text.prefix { $0 != "=" })), text)
    }

    /// What follows the first `=`, percent-encoded; nil where there is none.
    package var value: Substring? {
        text.firstIndex(of: "=").map { text[text.index(after: $0)...] }
    }

    /// The parameters of `query`, in their order; nothing between two `&` is none.
    package static func all(in query: some StringProtocol) -> [QueryParameter] {
        Substring(query).split(separator: "&").map(QueryParameter.init)
    }
}

extension HTTPURL {
    /// The query's parameters, in their order; names may come more than once.
    package var queryParameters: [QueryParameter] { query.map(QueryParameter.all) ?? [] }

    /// This URL with an encoded query added behind its own.
    public func appending(encodedQuery addition: String) -> HTTPURL {
        guard !addition.isEmpty else { return self }
        guard let query, !query.isEmpty else { return with(query: addition) }
        return with(query: String(joining: query, "&", addition))
    }

    /// This URL with each parameter of `names` taken out of its query, and each whose value is one of `values`, encoded
    /// spellings included.
    public func removingQuery(named names: Set<String>, valued values: Set<String> = []) -> HTTPURL {
        guard query != nil, !names.isEmpty || !values.isEmpty else { return self }
        let kept = queryParameters.filter { parameter in
            let value = parameter.value.map { HTTPURL.decode(String($0)) }
            return !names.contains(parameter.name) && !(value.map(values.contains) ?? false)
        }.map(\.text)
        return with(query: kept.isEmpty ? nil : kept.joined(separator: "&"))
    }

    /// This URL with one query parameter set to `value`, an earlier one of that name taken out.
    public func settingQuery(_ name: String, to value: String) -> HTTPURL {
        removingQuery(named: [name])
            .appending(encodedQuery: "\(QueryEncoding.escape(name))=\(QueryEncoding.escape(value))")
    }

    /// Percent-decodes a query name or value; `+` is a space, and bytes that are no UTF-8 become the replacement character.
    public static func decode(_ text: String) -> String { PercentCoding.decode(text, plus: " ") }
}
