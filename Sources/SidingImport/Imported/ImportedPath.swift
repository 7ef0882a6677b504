// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON

/// Converts paths into JSON from other programs' notations.
enum ImportedPath {
    /// The path of nested members: `$.a."b c"` for `a` and `b c`.
    static func text(_ members: [String]) -> String { JSONPath(members: members).description }

    /// Converts `a.b[0]`, `$.a['b c']`, `'@odata.nextLink'`, `items[*]`, `items.*`; nil if the path may match several places.
    static func text(jsonPath text: String) -> String? {
        var rest = text[...]
        var path = "$"
        if rest.first == "$" { rest = rest.dropFirst() }
        while let next = rest.first {
            if next == "." {
                rest = rest.dropFirst()
                guard let first = rest.first, first != "." else { return nil }
                continue
            }
            guard let part = part(&rest) else { return nil }
            path += part
        }
        return (try? JSONPath(parsing: path)).map(\.description)
    }

    private static func part(_ rest: inout Substring) -> String? {
        switch rest.first {
        case "*":
            rest = rest.dropFirst()
            return "[*]"
        case "'", "\"":
            return quoted(&rest).map { String(text([$0]).dropFirst()) }
        case "[":
            rest = rest.dropFirst()
            if rest.first == "'" || rest.first == "\"" {
                guard let name = quoted(&rest), rest.first == "]" else { return nil }
                rest = rest.dropFirst()
                return String(text([name]).dropFirst())
            }
            guard let end = rest.firstIndex(of: "]") else { return nil }
            let inside = rest[..<end]
            rest = rest[rest.index(after: end)...]
            return inside == "*" || inside.wholeMatch(of: /[0-9]{1,9}/) != nil ? "[\(inside)]" : nil
        default:
            let name = rest.prefix { !".[]'\"*?()@$ ,".contains($0) }
            guard !name.isEmpty else { return nil }
            rest = rest[name.endIndex...]
            return String(text([String(name)]).dropFirst())
        }
    }

    private static func quoted(_ rest: inout Substring) -> String? {
        guard let mark = rest.first, let end = rest.dropFirst().firstIndex(of: mark) else { return nil }
        let name = String(rest[rest.index(after: rest.startIndex)..<end])
        rest = rest[rest.index(after: end)...]
        return name.isEmpty ? nil : name
    }
}
