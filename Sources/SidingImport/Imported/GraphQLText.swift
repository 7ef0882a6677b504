// SPDX-License-Identifier: Apache-2.0
extension InputNode {
    /// Whether it is the query of a GraphQL request, whose braces are not placeholders.
    var isGraphQL: Bool {
        guard path.hasSuffix("query"), let text, text.count(where: { $0 == "{" }) > 1 else { return false }
        return text.prefixMatch(of: /\s*(\{|(query|mutation|subscription|fragment)\b)/) != nil
    }
}

extension String {
    /// Writes `{ id }` for `{id}`, which `siding.yaml` would read as a placeholder; GraphQL accepts both.
    ///
    /// - Parameter names: the names that are placeholders.
    func spacingBraces(but names: [String]) -> String {
        replacing(/\{([A-Za-z_][A-Za-z0-9_]*)\}/) { match in
            names.contains(String(match.output.1)) ? String(match.output.0) : "{ \(match.output.1) }"
        }
    }
}
