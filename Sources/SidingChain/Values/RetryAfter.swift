// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import HTTPTypes

/// Parses `Retry-After`: how long the origin asks to wait, in seconds or as a date (RFC 9110 §10.2.3).
package enum RetryAfter {
    /// The longest accepted wait: 24 hours.
    package static let longest = Duration.seconds(86_400)

    /// The wait that `value` asks for, at least zero and at most ``longest``; nil if it is not usable.
    ///
    /// - Parameters:
    ///   - value: the field's value.
    ///   - now: seconds since 1970, against which a date is measured. Fractions round up; so do those of `2.0`, which the RFC
    ///     does not allow but some origins write (https://shopify.dev/docs/api/admin-rest/usage/rate-limits).
    package static func wait(_ value: String, now: Double) -> Duration? {
        let text = value.trimmingPrefix { $0 == " " }
        if let seconds = seconds(text) { return seconds }
        guard let date = HTTPDate.secondsSince1970(String(text)) else { return nil }
        return min(max(.seconds(Int64((date - now).rounded(.up))), .zero), longest)
    }

    /// `120`, or `2.0`; nil if `text` has another form.
    private static func seconds(_ text: Substring) -> Duration? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isASCIIDigit) }) else {
            return nil
        }
        guard let seconds = Int64(whole), .seconds(seconds) < longest else { return longest }
        let isBroken = parts.count > 1 && parts[1].contains { $0 != "0" }
        return .seconds(seconds + (isBroken ? 1 : 0))
    }
}

extension HTTPFailure {
    /// The wait that the origin asked for with `Retry-After`.
    public func retryAfter(now: Double) -> Duration? {
        headerFields[.retryAfter].flatMap { RetryAfter.wait($0, now: now) }
    }
}

extension Character {
    package var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
