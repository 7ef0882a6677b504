// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// One parameter of an encoded query.
package struct QueryParameter: Sendable, Hashable {
    /// The decoded name: `%6Bey` and `key` are the same.
    package let name: String
    /// The percent-encoded parameter with its name: `name=value`, or `name` alone.
    package let text: Substring

    /// - Parameter text: the text between two `&`.
    init(_ text: Substring) {
        (name, self.text) = (HTTPURL.decode(String(text.prefix { $0 != "=" })), text)
    }

    /// The percent-encoded text after the first `=`; nil if there is no `=`.
    package var value: Substring? {
        text.firstIndex(of: "=").map { text[text.index(after: $0)...] }
    }

    package var decodedValue: String? { value.map { HTTPURL.decode(String($0)) } }

    /// The parameters of `query`, in order; empty ones are skipped.
    package static func all(in query: some StringProtocol) -> [QueryParameter] {
        Substring(query).split(separator: "&").map(QueryParameter.init)
    }
}

extension HTTPURL {
    /// The query's parameters, in order; names may repeat.
    package var queryParameters: [QueryParameter] { query.map(QueryParameter.all) ?? [] }

    /// The whole number that the query has under `name`; nil if there is none.
    package func queryNumber(_ name: String) -> Int? {
        queryParameters.first { $0.name == name }?.value.flatMap { Int($0) }
    }

    /// This URL with an encoded query appended to its own.
    package func appending(encodedQuery addition: String) -> HTTPURL {
        guard !addition.isEmpty else { return self }
        guard let query, !query.isEmpty else { return with(query: addition) }
        return with(query: String(joining: query, "&", addition))
    }

    /// This URL without the query parameters that have one of `names` or whose value is one of `values`; both are compared
    /// decoded.
    package func removingQuery(named names: Set<String>, valued values: Set<String> = []) -> HTTPURL {
        guard query != nil, !names.isEmpty || !values.isEmpty else { return self }
        let kept = queryParameters.filter { parameter in
            !names.contains(parameter.name) && !(parameter.decodedValue.map(values.contains) ?? false)
        }.map(\.text)
        return with(query: kept.isEmpty ? nil : kept.joined(separator: "&"))
    }

    /// This URL with one query parameter set to `value`; earlier ones of that name are removed.
    package func settingQuery(_ name: String, to value: String) -> HTTPURL {
        removingQuery(named: [name])
            .appending(encodedQuery: "\(QueryEncoding.escape(name))=\(QueryEncoding.escape(value))")
    }

    /// Percent-decodes a query name or value; `+` is a space, and invalid UTF-8 becomes the replacement character.
    package static func decode(_ text: String) -> String { PercentCoding.decode(text, plus: " ") }
}
