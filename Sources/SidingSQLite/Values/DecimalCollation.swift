// SPDX-License-Identifier: Apache-2.0
import CSQLite

/// A collation that compares texts as decimal numbers, digit by digit, so that nothing is rounded. Texts that are not numbers
/// come after all numbers.
///
/// Only connections for inspections have it: a view in the file that named it could not be read by other programs.
public enum DecimalCollation {
    /// The name for COLLATE.
    public static let name = "siding_decimal"

    static func install(on connection: Connection) {
        sqlite3_create_collation_v2(
            connection.handle, name, SQLITE_UTF8, nil,
            { _, leftCount, left, rightCount, right in
                DecimalCollation.compare(
                    UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
                    UnsafeRawBufferPointer(start: right, count: Int(rightCount)))
            }, nil)
    }

    /// Below 0 where `left` comes first, above 0 where `right` does.
    static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int32 {
        switch (DecimalNumber(left), DecimalNumber(right)) {
        case (let left?, let right?): left < right ? -1 : right < left ? 1 : 0
        case (nil, _?): 1
        case (_?, nil): -1
        case (nil, nil): left.lexicographicallyPrecedes(right) ? -1 : left.elementsEqual(right) ? 0 : 1
        }
    }
}

/// A decimal number of any length, by its significant digits.
private struct DecimalNumber: Comparable {
    private let isNegative: Bool
    /// Without zeros before and behind; empty for zero.
    private let digits: [UInt8]
    /// The power of ten of the first digit.
    private let magnitude: Int

    /// - Returns: nil if the text is not a number as JSON writes it. Zeros before it are allowed.
    init?(_ text: UnsafeRawBufferPointer) {
        var rest = text[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        let whole = rest.prefix(while: Self.isDigit)
        rest = rest.dropFirst(whole.count)
        var fraction = rest.prefix(0)
        if rest.first == UInt8(ascii: ".") {
            fraction = rest.dropFirst().prefix(while: Self.isDigit)
            guard !fraction.isEmpty else { return nil }
            rest = rest.dropFirst(1 + fraction.count)
        }
        guard !whole.isEmpty, let exponent = Self.exponent(rest) else { return nil }
        let all = Array(whole) + Array(fraction)
        let zeros = all.prefix { $0 == UInt8(ascii: "0") }.count
        var digits = Array(all.dropFirst(zeros))
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        self.digits = digits
        self.isNegative = isNegative && !digits.isEmpty
        magnitude = digits.isEmpty ? 0 : whole.count - 1 - zeros + exponent
    }

    static func < (left: Self, right: Self) -> Bool {
        guard left.isNegative == right.isNegative else { return left.isNegative }
        return left.isNegative ? right.isNearerToZero(than: left) : left.isNearerToZero(than: right)
    }

    private func isNearerToZero(than other: Self) -> Bool {
        guard !digits.isEmpty, !other.digits.isEmpty else { return digits.isEmpty && !other.digits.isEmpty }
        guard magnitude == other.magnitude else { return magnitude < other.magnitude }
        return digits.lexicographicallyPrecedes(other.digits)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    /// The exponent that the text is; 0 for no text, nil for anything else. A longer one is as good as one of nine digits.
    private static func exponent(_ text: Slice<UnsafeRawBufferPointer>) -> Int? {
        guard let mark = text.first else { return 0 }
        guard mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") else { return nil }
        var digits = text.dropFirst()
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
        guard !digits.isEmpty, digits.allSatisfy(isDigit) else { return nil }
        let number = digits.reduce(0) { min($0 * 10 + Int($1 - UInt8(ascii: "0")), 999_999_999) }
        return isNegative ? -number : number
    }
}
