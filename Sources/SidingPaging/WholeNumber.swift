// SPDX-License-Identifier: Apache-2.0
/// An integer of any length, stored as digits: origins may count beyond 64 bits.
struct WholeNumber: Comparable {
    private let isNegative: Bool
    private let digits: Substring

    init?(_ text: String) {
        var digits = text[...]
        isNegative = digits.first == "-"
        if isNegative { digits = digits.dropFirst() }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self.digits = digits.drop { $0 == "0" }
    }

    static func < (one: WholeNumber, other: WholeNumber) -> Bool {
        let (oneIsNegative, otherIsNegative) = (one.isBelowZero, other.isBelowZero)
        if oneIsNegative != otherIsNegative { return oneIsNegative }
        return oneIsNegative ? precedes(other.digits, one.digits) : precedes(one.digits, other.digits)
    }

    static func == (one: WholeNumber, other: WholeNumber) -> Bool {
        one.isBelowZero == other.isBelowZero && one.digits == other.digits
    }

    private var isBelowZero: Bool { isNegative && !digits.isEmpty }

    /// The number plus or minus `count`, digit by digit.
    func moved(by count: UInt64, backwards: Bool) -> String {
        let step = String(count)
        let stepDigits = count == 0 ? step[step.endIndex...] : step[...]
        if isBelowZero == backwards || digits.isEmpty {
            return Self.text(Self.sum(digits, stepDigits), isNegative: backwards)
        }
        return Self.precedes(digits, stepDigits)
            ? Self.text(Self.difference(stepDigits, digits), isNegative: backwards)
            : Self.text(Self.difference(digits, stepDigits), isNegative: isBelowZero)
    }

    private static func text(_ digits: [UInt8], isNegative: Bool) -> String {
        let digits = digits.drop { $0 == 0 }
        return digits.isEmpty ? "0" : (isNegative ? "-" : "") + digits.map(String.init).joined()
    }

    /// The digits of both from the last one on, the shorter one padded with zeros.
    private static func pairs(_ one: Substring, _ other: Substring) -> [(one: UInt8, other: UInt8)] {
        let (one, other) = (Array(one.utf8.reversed()), Array(other.utf8.reversed()))
        return (0..<max(one.count, other.count)).map { place in
            (place < one.count ? one[place] - 0x30 : 0, place < other.count ? other[place] - 0x30 : 0)
        }
    }

    private static func sum(_ one: Substring, _ other: Substring) -> [UInt8] {
        var (result, carry): ([UInt8], UInt8) = ([], 0)
        for pair in pairs(one, other) {
            let sum = pair.one + pair.other + carry
            result.append(sum % 10)
            carry = sum / 10
        }
        return (result + [carry]).reversed()
    }

    /// - Parameter less: at most `more`.
    private static func difference(_ more: Substring, _ less: Substring) -> [UInt8] {
        var (result, borrowed): ([UInt8], UInt8) = ([], 0)
        for pair in pairs(more, less) {
            let rest = pair.one + 10 - pair.other - borrowed
            result.append(rest % 10)
            borrowed = rest < 10 ? 1 : 0
        }
        return result.reversed()
    }

    private static func precedes(_ one: Substring, _ other: Substring) -> Bool {
        one.utf8.count == other.utf8.count ? one < other : one.utf8.count < other.utf8.count
    }
}
