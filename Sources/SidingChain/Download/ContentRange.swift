internal import HTTPTypes

/// `Content-Range` of one range of bytes (RFC 9110 §14.4): `bytes 5-9/10`, `bytes 5-9/*`, `bytes */10`.
struct ContentRange: Sendable, Equatable {
    /// The offsets of the first and the last byte that are enclosed; nil in the form that only names the size.
    let bounds: ClosedRange<Int64>?
    /// The size of the whole; nil where the origin does not know it.
    let total: Int64?

    var first: Int64? { bounds?.lowerBound }

    /// Nil where there is no such field, or its value says nothing that could be true.
    init?(_ fields: HTTPFields) {
        guard let value = fields[.contentRange] else { return nil }
        self.init(value)
    }

    init?(_ value: String) {
        let words = value.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let total = Self.number(parts[1], orStar: true) else { return nil }
        self.total = total
        guard parts[0] != "*" else {
            guard total != nil else { return nil }
            bounds = nil
            return
        }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0], orStar: false) ?? nil,
            let last = Self.number(ends[1], orStar: false) ?? nil, first <= last, last < .max, last < total ?? .max
        else { return nil }
        bounds = first...last
    }

    /// The number, `.some(nil)` for a star, nil for anything else.
    private static func number(_ text: Substring, orStar: Bool) -> Int64?? {
        if orStar, text == "*" { return .some(nil) }
        guard !text.isEmpty, text.allSatisfy(\.isASCIIDigit), let number = Int64(text) else { return nil }
        return .some(number)
    }
}
