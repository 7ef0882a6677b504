/// Parses the `Link` field (RFC 8288 §3): `<target>; rel="next", <target>; rel="last"`.
package enum LinkHeader {
    /// The target of the first link whose relation types include `relation`, as written.
    package static func target(of relation: String, in field: String) -> String? {
        var rest = Substring(field)
        while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
            let target = rest[rest.index(after: open)..<close]
            rest = rest[rest.index(after: close)...]
            let parameters = takeParameters(&rest)
            // Only the first `rel` of a link counts (RFC 8288 §3.3).
            if let types = parameters.lazy.compactMap(relationTypes).first, types.contains(relation) {
                return String(target)
            }
        }
        return nil
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
        let pair = parameter.split(separator: "=", maxSplits: 1)
        guard pair.count == 2, trimmed(pair[0]).lowercased() == "rel" else { return nil }
        return trimmed(pair[1]).trimming { $0 == "\"" }.split { $0 == " " || $0 == "\t" }.map { $0.lowercased() }
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
