// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// Makes the addresses of screens.
enum PageLink {
    /// The longest address that the service takes, with room for a query.
    private static let longestPath = 7_000

    typealias Query = [(name: String, value: String?)]

    static func path(_ components: String..., query: Query = []) -> String { path(components, query: query) }

    static func path(_ components: [String], query: Query = []) -> String {
        let parameters = query.compactMap { name, value in value.map { "\(name)=\(PercentCoding.encode($0))" } }
        let path = "/" + components.map { PercentCoding.encode($0) }.joined(separator: "/")
        return parameters.isEmpty ? path : "\(path)?\(parameters.joined(separator: "&"))"
    }

    /// Nil for a key that no address can carry: with a NUL, or very long.
    static func record(_ key: String, of resource: String) -> String? {
        // Browsers resolve dots in paths, however they are encoded.
        let isPlain = !["", ".", ".."].contains(key)
        let path = isPlain ? path("records", resource, key) : path("records", resource, query: [("key", key)])
        return key.utf8.contains(0) || path.utf8.count > longestPath ? nil : path
    }
}
