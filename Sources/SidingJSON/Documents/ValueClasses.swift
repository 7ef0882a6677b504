// SPDX-License-Identifier: Apache-2.0
/// Numbers the values of several documents so that two values have the same number exactly if they are equal in meaning.
///
/// Each value is visited once, innermost first; an array or object is identified by the numbers of its children. Comparing
/// two large values then takes constant time at every depth, and is exact, unlike comparing hashes.
struct ValueClasses {
    private var texts: [DecodedText: Int] = [:]
    private var numbers: [DecodedText: Int] = [:]
    private var containers: [[Int]: Int] = [:]
    /// The next number; 0, 1 and 2 are null, false and true.
    private var count = 3

    /// The number of each node.
    mutating func numbers(of tape: JSONTape) -> [Int] {
        var classes = Array(repeating: 0, count: tape.nodes.count)
        for node in tape.nodes.indices.reversed() { classes[node] = number(of: node, in: tape, classes) }
        return classes
    }

    private mutating func number(of node: Int, in tape: JSONTape, _ classes: [Int]) -> Int {
        switch tape.nodes[node].kind {
        case .null: return 0
        case .false: return 1
        case .true: return 2
        case .string: return number(of: tape.string(of: node))
        case .number:
            return Self.find(DecodedText(ExactNumber.spelling(of: tape.text(of: node))), in: &numbers, &count)
        case .array:
            return Self.find([0] + tape.children(of: node).map { classes[$0] }, in: &containers, &count)
        case .object:
            var members: [(name: Int, value: Int)] = []
            for child in tape.children(of: node) {
                members.append((number(of: tape.name(of: child)), classes[child]))
            }
            members.sort { $0.name < $1.name }
            return Self.find([1] + members.flatMap { [$0.name, $0.value] }, in: &containers, &count)
        }
    }

    private mutating func number(of text: DecodedText) -> Int { Self.find(text, in: &texts, &count) }

    /// The number of the key, or the next one if it is new.
    private static func find<Key: Hashable>(_ key: Key, in known: inout [Key: Int], _ count: inout Int) -> Int {
        let next = count
        // Read and insert in one access: lookups dominate the cost.
        let number = Self.value(&known[key, default: next])
        if number == next { count += 1 }
        return number
    }

    private static func value(_ place: inout Int) -> Int { place }
}

extension JSONDocument {
    /// Whether both have the same meaning: numbers by their exact decimal value (`1.0` is `1e0`, `-0` is `0`), strings and names
    /// by their decoded text, objects regardless of member order, arrays element by element.
    ///
    /// In contrast, `==` compares bytes. Takes linear time.
    public func isEquivalent(to other: JSONDocument) -> Bool {
        if self == other { return true }
        guard kind == other.kind else { return false }
        var classes = ValueClasses()
        return classes.numbers(of: JSONTape(self)).first == classes.numbers(of: JSONTape(other)).first
    }
}

/// A canonical spelling of numbers, equal for numbers of equal value: `1`, `1.0`, `10e-1` and `1E0` are all `1`.
///
/// It is an integer without trailing zeros and a power of ten: `-12.50` is `-125e-2`. It is computed from the digits without
/// floating point, so that it is exact for any number of digits and any exponent.
enum ExactNumber {
    /// - Parameter digits: a number by the grammar of RFC 8259, section 6.
    static func spelling(of digits: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        // Most numbers are already in canonical form.
        if digits.last != zero, digits.allSatisfy({ isDigit($0) || $0 == minus }) { return digits }
        let isNegative = digits.first == minus
        let mantissa = digits.dropFirst(isNegative ? 1 : 0).prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let point = mantissa.firstIndex(of: UInt8(ascii: ".")) ?? mantissa.endIndex
        let fraction = mantissa[point...].dropFirst()
        var coefficient = [UInt8]((mantissa[..<point] + fraction).drop { $0 == zero })
        guard !coefficient.isEmpty else { return [zero] }
        let significant = coefficient.count - coefficient.reversed().prefix { $0 == zero }.count
        let shift = coefficient.count - significant - fraction.count
        coefficient.removeSubrange(significant...)
        let exponent = sum(exponent: digits[mantissa.endIndex...].dropFirst(), shift)
        return (isNegative ? [minus] : []) + coefficient + (exponent == [zero] ? [] : [UInt8(ascii: "e")] + exponent)
    }

    private static let zero = UInt8(ascii: "0")
    private static let minus = UInt8(ascii: "-")

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }

    /// The decimal digits of the exponent plus `shift`, which is far below 10 to the 18.
    private static func sum(exponent: ArraySlice<UInt8>, _ shift: Int) -> [UInt8] {
        let isNegative = exponent.first == minus
        let digits = exponent.drop { !isDigit($0) || $0 == zero }
        if digits.count <= 18 {
            let magnitude = digits.reduce(0) { $0 * 10 + Int($1 - zero) }
            return Array(String((isNegative ? -magnitude : magnitude) + shift).utf8)
        }
        // Beyond Int: the sum keeps the exponent's sign and is computed digit by digit from the end.
        var sum = [UInt8](digits)
        var carry = isNegative ? -shift : shift
        for index in sum.indices.reversed() where carry != 0 {
            carry += Int(sum[index] - zero)
            let (quotient, remainder) = carry.quotientAndRemainder(dividingBy: 10)
            let digit = remainder < 0 ? remainder + 10 : remainder
            sum[index] = zero + UInt8(digit)
            carry = remainder < 0 ? quotient - 1 : quotient
        }
        let whole = (carry == 0 ? [] : Array(String(carry).utf8)) + sum
        return (isNegative ? [minus] : []) + whole.drop { $0 == zero }
    }
}
