// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

/// Retries and backoff of a source: `retry:`.
enum RetryGrammar {
    private static let defaults = RetryPolicy()

    static let inline = Keyword(
        "inline", .integer(0...10), default: 2,
        "Retries inside one run after 502, 503, 504, a lost connection, or a Retry-After of up to 5 s; two of a source, until a request succeeds. 0 for none."
    )
    static let base = Keyword(
        "base", .duration, default: "2s",
        "The longest first wait. Each wait is random, and its limit doubles up to cap.")
    static let cap = Keyword("cap", .duration, default: "1h", "The longest wait.")
    static let expire = Keyword(
        "expire", .duration,
        "How long a queued request is kept before it is parked as expired; a page since its last try. Without it: forever."
    )

    static let shape = Shape<RetrySettings>([inline.entry, base.entry, cap.entry, expire.entry]) { object, reading in
        let backoff = Backoff(
            base: object.value(base, &reading) ?? defaults.backoff.base,
            cap: object.value(cap, &reading) ?? defaults.backoff.cap)
        if backoff.cap < backoff.base, let place = (object.entry("cap") ?? object.entry("base"))?.value.place {
            reading.fault(
                "the first wait\(reading.subject.inOwner) is longer than the cap", at: place, expected: "base ≤ cap")
        }
        return RetrySettings(
            policy: RetryPolicy(retries: object.value(inline, &reading) ?? defaults.retries, backoff: backoff),
            expiry: object.value(expire, &reading))
    }
}

/// The values of `retry:`.
struct RetrySettings: Sendable {
    var policy = RetryPolicy()
    var expiry: Duration?
}
