// SPDX-License-Identifier: Apache-2.0
/// Parses the `Link` field (RFC 8288 §3): `<target>; rel="next", <target>; rel="last"`.
package enum LinkHeader {
    /// The target of the first link whose relation types include `relation`, as written; nil also where the link itself says
    /// that nothing is behind it (`results="false"`, or an empty target).
    package static func target(of relation: String, in field: String) -> String? {
        found(relation, in: field)?.nonEmpty
    }

    /// The target of that link; empty where nothing is behind it, nil if there is no such link.
    private static func found(_ relation: String, in field: String) -> String? {
        var rest = Substring(field)
        while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
            let target = rest[rest.index(after: open)..<close]
            rest = rest[rest.index(after: close)...]
            let parameters = takeParameters(&rest)
            // Only the first `rel` of a link counts (RFC 8288 §3.3).
            if let types = parameters.lazy.compactMap(relationTypes).first, types.contains(relation) {
                return parameters.contains { value(of: "results", $0)?.lowercased() == "false" } ? "" : String(target)
            }
        }
        return nil
    }

    /// Whether the field means a link with `relation`, but is written so that ``target(of:in:)`` finds none.
    package static func isUnreadable(_ relation: String, in field: String) -> Bool {
        guard found(relation, in: field) == nil else { return false }
        let parameters = field.lowercased().split { $0 == ";" || $0 == "," }
        guard !parameters.contains(where: { value(of: "results", $0) == "false" }) else { return false }
        return parameters.contains { relations(in: $0).contains { $0 == relation } }
    }

    /// The relation types of what is written like a parameter, also where no semicolon is before it: `</items?p=2> rel=next`.
    private static func relations(in text: Substring) -> [Substring] {
        text.ranges(of: "rel").flatMap { name -> [Substring] in
            let value = trimmed(text[name.upperBound...])
            guard text[..<name.lowerBound].last?.isWhitespace ?? true, value.first == "=" else { return [] }
            let types = trimmed(value.dropFirst())
            let quote = types.first.flatMap { $0 == "\"" || $0 == "'" ? $0 : nil }
            let end = quote ?? " "
            return types.drop { $0 == quote }.prefix { $0 != end }.split { !$0.isLetter && $0 != "-" }
        }
    }

    /// Removes the parameters of one link from the front of `rest`: up to the next comma outside quotes.
    private static func takeParameters(_ rest: inout Substring) -> [Substring] {
        var parameters: [Substring] = []
        var start = rest.startIndex
        var index = rest.startIndex
        var isQuoted = false
        while index < rest.endIndex {
            let character = rest[index]
            if character == "\\", isQuoted, rest.index(after: index) < rest.endIndex {
                index = rest.index(after: index)
            }
            if character == "\"" { isQuoted.toggle() }
            if !isQuoted, character == ";" || character == "," {
                parameters.append(rest[start..<index])
                start = rest.index(after: index)
                if character == "," { break }
            }
            index = rest.index(after: index)
        }
        if index >= rest.endIndex { parameters.append(rest[start...]) }
        rest = index < rest.endIndex ? rest[rest.index(after: index)...] : rest[rest.endIndex...]
        return parameters
    }

    /// The relation types in `parameter`, in lower case; nil if it is another parameter.
    private static func relationTypes(_ parameter: Substring) -> [String]? {
        value(of: "rel", parameter)?.split { $0 == " " || $0 == "\t" }.map { $0.lowercased() }
    }

    /// The value in `parameter`, without quotes; nil if it has another name. Some origins write single quotes.
    private static func value(of name: String, _ parameter: Substring) -> Substring? {
        let pair = parameter.split(separator: "=", maxSplits: 1)
        guard pair.count == 2, trimmed(pair[0]).lowercased() == name else { return nil }
        return trimmed(pair[1]).trimming { $0 == "\"" || $0 == "'" }
    }

    private static func trimmed(_ text: Substring) -> Substring { text.trimming { $0 == " " || $0 == "\t" } }
}

extension Substring {
    fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> Substring {
        var trimmed = self.drop(while: isTrimmed)
        while let last = trimmed.last, isTrimmed(last) { trimmed.removeLast() }
        return trimmed
    }
}
