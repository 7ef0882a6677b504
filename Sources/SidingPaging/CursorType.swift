// SPDX-License-Identifier: Apache-2.0
package import SidingChain

/// The type of a cursor's values: how they compare, and how they are written. A cursor is the saved value, such as a time, at
/// which the next listing of a resource starts.
package enum CursorType: String, Sendable, CaseIterable {
    /// RFC 3339, such as `2024-05-01T12:00:00Z`; a time without an offset counts as UTC.
    case datetime
    /// `2024-05-01`, in UTC.
    case date
    /// Seconds since 1970, with optional fractions.
    case epoch
    /// Milliseconds since 1970.
    case epochMilliseconds = "epoch_ms"
    /// An integer of any length.
    case integer
    /// Text, compared by its UTF-8 bytes.
    case text

    /// Whether values are times.
    package var isTime: Bool {
        switch self {
        case .datetime, .date, .epoch, .epochMilliseconds: true
        case .integer, .text: false
        }
    }

    /// Whether values are numbers.
    package var isNumber: Bool {
        switch self {
        case .epoch, .epochMilliseconds, .integer: true
        case .datetime, .date, .text: false
        }
    }

    /// Whether `value` is valid for the type.
    package func takes(_ value: String) -> Bool {
        switch self {
        case .text: !value.isEmpty
        case .integer: WholeNumber(value) != nil
        case .datetime, .date, .epoch, .epochMilliseconds: moment(value) != nil
        }
    }

    package enum Comparison {
        case less, equal, more

        fileprivate init<Value: Comparable>(_ one: Value, _ other: Value) {
            self = one < other ? .less : other < one ? .more : .equal
        }
    }

    /// Compares two values; `equal` if one is invalid.
    package func compare(_ one: String, _ other: String) -> Comparison {
        switch self {
        case .text:
            one == other ? .equal : one.utf8.lexicographicallyPrecedes(other.utf8) ? .less : .more
        case .integer:
            if let one = WholeNumber(one), let other = WholeNumber(other) { Comparison(one, other) } else { .equal }
        case .datetime, .date, .epoch, .epochMilliseconds:
            if let one = moment(one), let other = moment(other) { Comparison(one, other) } else { .equal }
        }
    }

    /// The time that `value` stands for, truncated to microseconds; nil if it is none.
    package func moment(_ value: String) -> Timestamp? {
        switch self {
        case .datetime: Timestamp(rfc3339: value)
        case .date: value.utf8.count == 10 ? Timestamp(rfc3339: value + "T00:00:00Z") : nil
        case .epoch: Self.fraction(value).map(Timestamp.init(secondsSince1970:))
        case .epochMilliseconds: Self.fraction(value).map { Timestamp(secondsSince1970: $0 / 1000) }
        case .integer, .text: nil
        }
    }

    private static func fraction(_ text: String) -> Double? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2D }),
            let number = Double(text),
            number.isFinite
        else { return nil }
        return number
    }

    /// `moment` as text of this type, with as many fractional digits as `model`; truncated, never rounded up.
    package func text(of moment: Timestamp, like model: String) -> String {
        let seconds = moment.microseconds.flooredQuotient(by: 1_000_000)
        switch self {
        case .datetime: return moment.rfc3339(fractionDigits: Self.fractionDigits(model))
        case .date: return String(moment.rfc3339(fractionDigits: 0).prefix(10))
        case .epoch, .integer, .text: return String(seconds)
        case .epochMilliseconds: return String(moment.microseconds.flooredQuotient(by: 1_000))
        }
    }

    private static func fractionDigits(_ model: String) -> Int {
        guard let dot = model.firstIndex(of: ".") else { return 0 }
        return min(model[dot...].dropFirst().prefix { $0.isASCII && $0.isNumber }.count, 6)
    }

    /// The smallest step between two truncated texts of this type.
    package var unit: Duration {
        switch self {
        case .date: .seconds(86_400)
        case .epochMilliseconds: .milliseconds(1)
        case .datetime, .epoch, .integer, .text: .seconds(1)
        }
    }

    /// `value` moved by one step; unchanged if the step is of another kind.
    package func stepped(_ value: String, by step: IncrementalCursor.Lookback, backwards: Bool) -> String {
        switch step {
        case .time(let duration):
            guard let moment = moment(value) else { return value }
            return text(of: moment + (backwards ? .zero - duration : duration), like: value)
        case .count(let count):
            guard self == .integer, let number = WholeNumber(value) else { return value }
            return number.moved(by: count.magnitude, backwards: backwards == (count >= 0))
        }
    }
}

extension Int64 {
    /// The quotient rounded down, also for negative numbers.
    fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
