internal import HTTPTypes
internal import SidingChain
internal import SidingJSON

/// The origin's own message in a refusal, and what it says about the wait or about everybody's requests.
extension HTTPFailure {
    /// The body's message in one line, if it is plain text or JSON of a usual form such as RFC 9457; else nil.
    var errorText: String? {
        texts(at: Self.messagePlaces).first.map {
            PlainText.oneLine(String($0.trimmingPrefix(while: \.isWhitespace)), limit: 200)
        }
    }

    /// Whether the origin asks to be called later: by its status, or by a 403 that speaks of a limit. GitHub, Google, Azure,
    /// Salesforce and others refuse so what they would take later.
    var asksToWait: Bool { statusClass == .backOff || (status == 403 && (hasLimitField || speaksOfLimit)) }

    /// The status and message of a refusal that concerns whoever asks and not what is asked for; nil for all others. Several
    /// equal ones in a row are meant for everybody.
    var refusalOfCaller: String? {
        [402, 403, 501, 505].contains(status) ? "\(status) \(errorText ?? name)" : nil
    }

    /// `Retry-After`, or a remaining quota of 0 such as `X-RateLimit-Remaining: 0`.
    private var hasLimitField: Bool {
        headerFields.contains { field in
            let name = field.name.canonicalName
            let isQuota = name.hasSuffix("remaining") && (name.contains("ratelimit") || name.contains("rate-limit"))
            return field.name == .retryAfter || (isQuota && field.value == "0")
        }
    }

    private var speaksOfLimit: Bool {
        texts(at: Self.messagePlaces + Self.codePlaces).contains { text in
            let words = Self.words(text)
            return !Self.limitWords.isDisjoint(with: words)
                || zip(words, words.dropFirst()).contains { Self.limitPairs.contains("\($0) \($1)") }
        }
    }

    /// The texts at `places` that are not empty; the body itself if it is plain text.
    private func texts(at places: [JSONPath]) -> [String] {
        guard let document = try? JSONDocument(body) else {
            let isPlain = headerFields[.contentType]?.lowercased().hasPrefix("text/plain") ?? false
            return isPlain ? [String(validating: body, as: UTF8.self)].compactMap(\.self) : []
        }
        return places.compactMap { document.value(at: $0)?.string }.filter { !$0.isEmpty }
    }

    /// The words in lower case: those of `rateLimitExceeded` and `RATE_LIMIT_EXCEEDED` as well. Whole words, as "unlimited" and
    /// "awaiting" are about something else.
    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        var wasLower = false
        for character in text {
            let begins = words.isEmpty || (character.isUppercase && wasLower)
            if begins || !character.isLetter { words.append("") }
            if character.isLetter { words[words.count - 1] += character.lowercased() }
            wasLower = character.isLowercase
        }
        return words.filter { !$0.isEmpty }
    }

    private static let limitWords: Set = [
        "limit", "limits", "ratelimit", "ratelimits", "ratelimited", "ratelimiting", "quota", "quotas", "wait",
        "throttle", "throttled", "throttling",
    ]

    /// "Access is limited to administrators" is about rights.
    private static let limitPairs: Set = ["rate limited", "rate limiting", "many requests"]

    private static let messagePlaces = places(
        "$.detail", "$.message", "$.error.message", "$.error_description", "$.error", "$.errors[0].detail",
        "$.errors[0].message", "$.errors[0]", "$.title", "$.reason", "$.msg", "$[0].message")

    /// Where origins write a code beside the message.
    private static let codePlaces = places(
        "$.code", "$.error_code", "$.errorCode", "$.status", "$.type", "$.error.code", "$.error.status", "$.error.type",
        "$.error.errors[0].reason", "$.errors[0].code", "$.errors[0].reason", "$[0].errorCode", "$[0].code")

    private static func places(_ paths: String...) -> [JSONPath] { paths.compactMap { try? JSONPath(parsing: $0) } }
}
