internal import HTTPTypes

/// What `Cache-Control` asks of a private cache (RFC 9111 §5.2).
struct CacheControl {
    /// Nothing of the answer may be kept.
    var forbidsStoring = false
    /// The answer may not be given again before the origin was asked.
    var demandsValidation = false
    /// How long the answer is fresh, in seconds; 0 where the origin said it in a way that nobody can read (§4.2.1).
    var maxAge: Double?

    /// Reads the directives of a request or an answer; those that are not known say nothing.
    ///
    /// `s-maxage`, `public` and `proxy-revalidate` speak to shared caches, `private` allows this one.
    init(_ fields: HTTPFields) {
        for directive in Self.directives(fields[values: .cacheControl].joined(separator: ",")) {
            switch directive.name {
            case "no-store": forbidsStoring = true
            case "no-cache": demandsValidation = true
            // Of several the first counts, which §4.2.1 leaves to us.
            case "max-age": maxAge = maxAge ?? DeltaSeconds.parse(directive.value) ?? 0
            default: break
            }
        }
    }

    private struct Directive {
        var name: String
        var value: Substring
    }

    private static func directives(_ text: String) -> [Directive] {
        outsideQuotes(text).map { part in
            let name = part.prefix { $0 != "=" }
            let value = part.dropFirst(name.count + 1).drop { $0 == " " || $0 == "\"" }
            return Directive(name: name.filter { $0 != " " && $0 != "\t" }.lowercased(), value: value)
        }
    }

    /// The text between commas; a comma inside a quoted string separates nothing.
    private static func outsideQuotes(_ text: String) -> [Substring] {
        var isQuoted = false
        return text.split { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
    }
}

/// A number of seconds in a header field (RFC 9111 §1.2.2).
enum DeltaSeconds {
    /// The most that is believed: 2³¹ seconds.
    static let longest = 2_147_483_648.0

    /// The seconds at the beginning of `text`, at most ``longest``; nil where there is no digit.
    static func parse(_ text: some StringProtocol) -> Double? {
        let digits = text.drop { $0 == " " }.prefix { $0.isASCIIDigit }
        guard !digits.isEmpty else { return nil }
        return min(Double(String(digits)) ?? longest, longest)
    }
}
