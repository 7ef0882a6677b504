// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes
public import SidingChain

/// A limit on the requests to a source, or on the bytes that they carry: one entry of `limits:`.
///
/// A request counts against every limit whose pattern it matches, and is sent once all of them have room. The count is durable
/// and shared by all processes that use the store.
public struct RateLimit: Sendable, Hashable {
    /// Which requests it applies to, by their path below the source's base URL.
    package let match: PathPattern
    /// Nil if only the origin limits the rate.
    package let rate: RequestRate?
    /// The response header that reports the remaining quota.
    package let remaining: HTTPField.Name?
    /// The response header that reports when the quota is reset; see ``LimitReset``.
    package let reset: HTTPField.Name?

    /// - Throws: `Failure.Reason.invalidRequest` if it limits nothing; the detail says why.
    package init(
        _ match: PathPattern, rate: RequestRate?, remaining: HTTPField.Name? = nil, reset: HTTPField.Name? = nil
    ) throws(Failure) {
        (self.match, self.rate, self.remaining, self.reset) = (match, rate, remaining, reset)
        let fault =
            switch (rate?.unit, remaining, reset) {
            case (nil, nil, _): "it has neither rate, bytes nor remaining_header"
            case (_, nil, _?): "it has a reset_header and no remaining_header"
            case (.bytes, _?, _): "it limits bytes, but its remaining_header counts requests"
            default: ""
            }
        guard fault.isEmpty else { throw Failure(.invalidRequest, phase: .notSent, detail: fault) }
    }

    /// Parses a limit from text: `try RateLimit("/search/**", "30/m")`, `try RateLimit("**", "50MiB/d")`.
    ///
    /// - Throws: `Failure.Reason.invalidRequest` if the pattern or the rate is invalid, or nothing is limited.
    public init(
        _ match: String, _ rate: String? = nil, remaining: HTTPField.Name? = nil, reset: HTTPField.Name? = nil
    ) throws(Failure) {
        let parsed = rate.flatMap { RequestRate($0) ?? RequestRate($0, unit: .bytes) }
        if let rate, parsed == nil {
            throw Failure(.invalidRequest, phase: .notSent, detail: "'\(rate)' is not a rate such as 30/m")
        }
        try self.init(PathPattern(match), rate: parsed, remaining: remaining, reset: reset)
    }

    /// How long an answered request counts; zero if only the origin limits the rate.
    var window: Duration { rate?.window ?? .zero }

    /// What it counts.
    var unit: RequestRate.Unit { rate?.unit ?? .requests }

    /// Whether both limits share one stored count, so that only the smaller rate would apply.
    package func countsAs(_ other: RateLimit) -> Bool {
        match.description == other.match.description && window == other.window && unit == other.unit
    }
}

/// A number of requests per window of time, such as `30/m` or `300/15m`, or a number of bytes, such as `50MiB/d`.
package struct RequestRate: Sendable, Hashable, CustomStringConvertible {
    /// What is counted.
    package enum Unit: String, Sendable, Hashable, CaseIterable {
        case requests
        /// As the network carries them, in both directions. A request is sent while fewer were counted, so its answer may exceed
        /// the limit.
        case bytes
    }

    /// The largest allowed ``count`` of requests; a larger one would limit nothing.
    package static let most = 1_000_000
    /// The largest allowed ``count`` of bytes: 1 PiB.
    package static let mostBytes = 1 << 50
    /// The longest window, 31 days.
    package static let longestWindow = Duration.seconds(31 * 86_400)

    package let count: Int
    /// Any span of this length, wherever it starts, has at most ``count`` requests. Whole seconds.
    package let window: Duration
    package let unit: Unit

    /// Nil unless `count` is between 1 and ``most`` (``mostBytes``), and `window` between a second and ``longestWindow``.
    package init?(_ count: Int, per window: Duration, unit: Unit = .requests) {
        let most = unit == .bytes ? Self.mostBytes : Self.most
        guard (1...most).contains(count), window >= .seconds(1), window <= Self.longestWindow else { return nil }
        (self.count, self.unit) = (count, unit)
        self.window = .seconds(window.components.seconds)
    }

    /// Parses a number, a slash, an optional number, and one of `s`, `m`, `h`, `d`; nil for any other text.
    /// Bytes may have a unit, such as `MiB` or `KB`.
    package init?(_ text: String, unit: Unit = .requests) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let time = parts[1].last.flatMap({ Self.units[$0] }),
            let count = unit == .bytes ? ByteSize.parse(parts[0]) : Self.number(parts[0]),
            let times = parts[1].count == 1 ? 1 : Self.number(parts[1].dropLast())
        else { return nil }
        self.init(count, per: .seconds(times * time), unit: unit)
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.count <= 9 && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            ? Int(text) : nil
    }

    private static let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]

    /// The form of the configuration, in the largest unit that divides the window.
    package var description: String {
        let seconds = Int(window.components.seconds)
        let unit = Self.units.filter { seconds % $0.value == 0 }.max { $0.value < $1.value } ?? (key: "s", value: 1)
        let times = seconds / unit.value
        let amount = self.unit == .bytes ? ByteSize.exact(count) : "\(count)"
        return "\(amount)/\(times == 1 ? "" : "\(times)")\(unit.key)"
    }
}
