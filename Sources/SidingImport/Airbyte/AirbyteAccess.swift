// SPDX-License-Identifier: Apache-2.0
/// A name with the members accessed on it: `config['a'].b`, `response.get('next', {})`, `config['x'] or 'y'`.
struct AirbyteAccess: Sendable, Hashable {
    let root: String
    /// The members; the index of an element has brackets, such as `[0]`.
    let keys: [String]
    /// The default text if the value is missing.
    let fallback: String?

    /// Nil for any other expression.
    init?(_ expression: String) {
        var rest = expression.trimmingSpaces[...]
        guard rest.utf8.count <= 1000, let name = rest.prefixMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) else { return nil }
        root = String(name.output)
        rest = rest[name.range.upperBound...]
        var (keys, fallback) = ([String](), String?.none)
        while !rest.isEmpty {
            if let match = rest.prefixMatch(of: /\.get\(\s*['"]([^'"]*)['"]\s*(?:,\s*(?:['"]([^'"]*)['"]|[^()]*))?\)/) {
                keys.append(String(match.output.1))
                fallback = match.output.2.map(String.init)
                rest = rest[match.range.upperBound...]
            } else if let match = rest.prefixMatch(of: /\.([A-Za-z_][A-Za-z0-9_]*)(?!\()/) {
                keys.append(String(match.output.1))
                rest = rest[match.range.upperBound...]
            } else if let match = rest.prefixMatch(of: /\[\s*['"]([^'"]+)['"]\s*\]/) {
                keys.append(String(match.output.1))
                rest = rest[match.range.upperBound...]
            } else if let match = rest.prefixMatch(of: /\[\s*([0-9]{1,9})\s*\]/) {
                keys.append("[\(match.output.1)]")
                rest = rest[match.range.upperBound...]
            } else if let match = rest.wholeMatch(of: /\s+or\s+['"]([^'"]*)['"]\s*/) {
                fallback = String(match.output.1)
                rest = ""
            } else {
                return nil
            }
        }
        (self.keys, self.fallback) = (keys, fallback)
    }

    /// The access as a message, such as `config.a.b`.
    var shown: String { String(([root] + keys).joined(separator: ".").prefix(100)) }

    /// The JSON path of the members; nil without members.
    var path: String? { keys.isEmpty ? nil : Self.path(of: keys) }

    /// The JSON path of members and elements, whose indexes have brackets.
    static func path(of keys: [String]) -> String {
        keys.reduce("$") { path, key in
            key.hasPrefix("[") && key.hasSuffix("]") ? path + key : path + ImportedPath.text([key]).dropFirst()
        }
    }
}

extension StringProtocol {
    var trimmingSpaces: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
