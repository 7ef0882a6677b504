// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingJSON

/// A 403 by which an origin means "later". GitHub, Google, Azure, Salesforce and others refuse so what they would take in a minute.
/// AWS, Facebook and Stack Exchange do so with 400.
extension HTTPFailure {
    /// Whether the origin asks to be called later: by its status, or by a 403 with `Retry-After` or a remaining quota of 0 such as
    /// `X-RateLimit-Remaining: 0`.
    var asksToWait: Bool { statusClass == .backOff || (status == 403 && hasLimitField) }

    /// Whether a 403 or 400 speaks of a limit in words alone. A 403 may be about rights all the same. A 400 may be about a limit of
    /// the request, such as that of a page size, so it has to speak of a rate.
    var speaksOfLimit: Bool {
        switch status {
        case 403: !hasLimitField && hasLimitWords
        case 400: hasRateWords
        default: false
        }
    }

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

    private var hasRateWords: Bool {
        texts.contains { text in
            let words = Self.words(text)
            let sentence = " \(words.joined(separator: " ")) "
            return !Self.rateWords.isDisjoint(with: words) || Self.ratePhrases.contains { sentence.contains(" \($0) ") }
        }
    }

    /// The messages and codes of the body; its text if it is no JSON.
    private var texts: [String] {
        guard let document = try? JSONDocument(body) else { return [textOfBody].compactMap(\.self) }
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

    private static let rateWords: Set = [
        "ratelimit", "ratelimits", "ratelimited", "ratelimiting", "throttle", "throttled", "throttling",
    ]
    private static let ratePhrases = [
        "rate exceeded", "rate limit exceeded", "rate limit reached", "request limit exceeded", "request limit reached",
        "too many requests",
    ]
    private static let limitWords = rateWords.union(["limit", "limits", "quota", "quotas", "wait"])

    /// "Access is limited to administrators" is about rights.
    private static let limitPairs: Set = ["rate limited", "rate limiting", "rate exceeded", "many requests"]

    /// Where origins write a code beside the message.
    private static let codePlaces = [
        "$.code", "$.__type", "$.error_name", "$.error_code", "$.errorCode", "$.status", "$.type", "$.error.code",
        "$.error.status", "$.error.type",
        "$.error.errors[0].reason", "$.errors[0].code", "$.errors[0].reason", "$[0].errorCode", "$[0].code",
        "$[0].message",
    ].compactMap { try? JSONPath(parsing: $0) }
}
