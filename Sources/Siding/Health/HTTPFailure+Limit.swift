// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingJSON

/// A 403 by which an origin means "later". GitHub, Google, Azure, Salesforce and others refuse so what they would take in a minute.
extension HTTPFailure {
    /// Whether the origin asks to be called later: by its status, or by a 403 with `Retry-After` or a remaining quota of 0 such as
    /// `X-RateLimit-Remaining: 0`.
    var asksToWait: Bool { statusClass == .backOff || (status == 403 && hasLimitField) }

    /// Whether a 403 speaks of a limit in words alone. It may be about rights all the same.
    var speaksOfLimit: Bool { status == 403 && !hasLimitField && hasLimitWords }

    private var hasLimitField: Bool {
        headerFields.contains { field in
            let name = field.name.canonicalName
            let isQuota = name.hasSuffix("remaining") && (name.contains("ratelimit") || name.contains("rate-limit"))
            return field.name == .retryAfter || (isQuota && field.value == "0")
        }
    }

    private var hasLimitWords: Bool {
        texts.contains { text in
            let words = Self.words(text)
            return !Self.limitWords.isDisjoint(with: words)
                || zip(words, words.dropFirst()).contains { Self.limitPairs.contains("\($0) \($1)") }
        }
    }

    /// The messages and codes of the body; the body itself if it is plain text.
    private var texts: [String] {
        guard let document = try? JSONDocument(body) else {
            let isPlain = headerFields[.contentType]?.lowercased().hasPrefix("text/plain") ?? false
            return isPlain ? [String(validating: body, as: UTF8.self)].compactMap(\.self) : []
        }
        return (Self.messagePlaces + Self.codePlaces).compactMap { document.value(at: $0)?.string }
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

    /// Where origins write a code beside the message.
    private static let codePlaces = [
        "$.code", "$.error_code", "$.errorCode", "$.status", "$.type", "$.error.code", "$.error.status", "$.error.type",
        "$.error.errors[0].reason", "$.errors[0].code", "$.errors[0].reason", "$[0].errorCode", "$[0].code",
        "$[0].message",
    ].compactMap { try? JSONPath(parsing: $0) }
}
