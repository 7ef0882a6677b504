// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

extension Timestamp {
    /// Reads RFC 3339 (https://www.rfc-editor.org/rfc/rfc3339#section-5.6), truncated to microseconds.
    ///
    /// Also accepts variants that origins send: a space for the `T`, no offset (UTC), offsets without a colon, and a date
    /// alone. A leap second counts as the second after it. Nil for everything else.
    public init?(rfc3339 text: String) {
        var reader = DateReader(text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), (1...12).contains(month),
            reader.skip("-"), let day = reader.number(2), day >= 1,
            day <= UTCDate.days(inMonth: Int(month), ofYear: Int(year))
        else { return nil }
        let days = Int64(UTCDate.daysSince1970(year: Int(year), month: Int(month), day: Int(day)))
        if reader.isAtEnd {
            self.init(microseconds: days * 86_400_000_000)
            return
        }
        guard reader.skip("T") || reader.skip("t") || reader.skip(" "), let hour = reader.number(2), hour < 24,
            reader.skip(":"), let minute = reader.number(2), minute < 60
        else { return nil }
        var (second, fraction): (Int64, Int64) = (0, 0)
        if reader.skip(":") {
            guard let seconds = reader.number(2), seconds <= 60 else { return nil }
            second = seconds
            if reader.skip(".") || reader.skip(",") {
                guard let digits = reader.microseconds() else { return nil }
                fraction = digits
            }
        }
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        self.init(microseconds: seconds * 1_000_000 + fraction)
    }

    /// RFC 3339 in UTC with this many fractional digits, at most six; truncated, not rounded.
    package func rfc3339(fractionDigits: Int) -> String {
        UTCDate(microseconds: microseconds).rfc3339(fractionDigits: fractionDigits)
    }
}

extension Timestamp: CustomStringConvertible {
    /// The same as ``rfc3339``.
    public var description: String { rfc3339 }
}

/// Parses the bytes of a date.
private struct DateReader {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Reads exactly `count` digits.
    mutating func number(_ count: Int) -> Int64? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy(Self.isDigit) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    /// Reads a fraction of one or more digits; the first six count.
    mutating func microseconds() -> Int64? {
        let digits = rest.prefix(while: Self.isDigit)
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count)
        let counted = digits.prefix(6)
        let value = counted.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        return (counted.count..<6).reduce(value) { value, _ in value * 10 }
    }

    /// Reads the offset east of UTC in seconds; a missing one is UTC.
    mutating func offset() -> Int64? {
        if isAtEnd || skip("Z") || skip("z") { return 0 }
        let isEast = skip("+")
        guard isEast || skip("-"), let hours = number(2), hours < 24 else { return nil }
        _ = skip(":")
        guard let minutes = isAtEnd ? 0 : number(2), minutes < 60 else { return nil }
        let seconds = hours * 3600 + minutes * 60
        return isEast ? seconds : -seconds
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
