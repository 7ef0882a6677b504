// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

/// A stored wall-clock time: whole microseconds since 1970 UTC.
public struct Timestamp: Sendable, Hashable, Comparable, Codable {
    /// The microseconds since 1970-01-01T00:00:00Z, leap seconds not counted; negative before.
    public var microseconds: Int64

    /// The time `microseconds` after 1970-01-01T00:00:00Z.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The time `seconds` after 1970-01-01T00:00:00Z, clamped to the storable range; 1970 itself for NaN.
    public init(secondsSince1970 seconds: Double) {
        let rounded = (seconds * 1_000_000).rounded()
        microseconds = Int64(exactly: rounded) ?? (rounded > 0 ? .max : rounded < 0 ? .min : 0)
    }

    /// The same time in seconds, as `Date(timeIntervalSince1970:)` takes it.
    public var secondsSince1970: Double { Double(microseconds) / 1_000_000 }

    public static func < (one: Timestamp, other: Timestamp) -> Bool { one.microseconds < other.microseconds }

    /// The time `wait` later, or earlier if it is negative, clamped to the storable range.
    public static func + (moment: Timestamp, wait: Duration) -> Timestamp {
        let (sum, overflow) = moment.microseconds.addingReportingOverflow(wait.wholeMicroseconds)
        return Timestamp(microseconds: overflow ? (wait < .zero ? .min : .max) : sum)
    }

    /// The time between the two, negative if `later` comes first, clamped to the microseconds of an `Int64`.
    public static func - (later: Timestamp, earlier: Timestamp) -> Duration {
        let (difference, overflow) = later.microseconds.subtractingReportingOverflow(earlier.microseconds)
        return .microseconds(overflow ? (later > earlier ? .max : .min) : difference)
    }

    /// RFC 3339 in UTC, truncated to milliseconds: `2026-01-31T07:05:00.250Z`.
    public var rfc3339: String { rfc3339(fractionDigits: 3) }
}

extension Duration {
    /// The duration in microseconds, clamped to `Int64`.
    package var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000)
        return overflow || carry ? (seconds < 0 ? .min : .max) : sum
    }
}

/// The source of wall-clock time, so that tests can set it.
public struct WallClock: Sendable {
    private let read: @Sendable () -> Timestamp

    /// A clock that returns what `read` returns; tests pass a fixed time.
    public init(_ read: @escaping @Sendable () -> Timestamp) {
        self.read = read
    }

    /// The current time. It may go back when the machine's clock is set.
    public var now: Timestamp { read() }

    /// The machine's clock.
    public static let system = WallClock { Timestamp(secondsSince1970: Date().timeIntervalSince1970) }
}
