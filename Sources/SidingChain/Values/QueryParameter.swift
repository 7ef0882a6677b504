/// One parameter of a query as it is written there.
public struct QueryParameter: Sendable, Hashable {
    /// Decoded: `%6Bey` and `key` are one name.
    public let name: String
    /// Percent-encoded, with its name: `name=value`, or `name` alone.
    public let text: Substring

    /// - Parameter text: what stands between two `&`.
    init(_ text: Substring) {
        (name, self.text) = (HTTPURL.decode(String(text.prefix { $0 != "=" })), text)
    }

    /// What follows the first `=`, percent-encoded; nil where there is none.
    public var value: Substring? {
        text.firstIndex(of: "=").map { text[text.index(after: $0)...] }
    }

    /// The parameters of `query`, in their order; nothing between two `&` is none.
    public static func all(in query: some StringProtocol) -> [QueryParameter] {
        Substring(query).split(separator: "&").map(QueryParameter.init)
    }
}

extension HTTPURL {
    /// The query's parameters, in their order; names may come more than once.
    public var queryParameters: [QueryParameter] { query.map(QueryParameter.all) ?? [] }
}
