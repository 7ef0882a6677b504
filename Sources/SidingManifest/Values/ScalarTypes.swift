// SPDX-License-Identifier: Apache-2.0
extension ValueType where Value == String {
    /// One line of text. Every scalar is taken as written: `no`, `012` and `2024-01-01` are text.
    static func text(_ expected: String) -> ValueType {
        ValueType(expected, schema: .anyScalar) { node, reading in
            guard let text = node.text else { return reading.refuse(node, expected: expected) }
            guard !text.isEmpty else {
                reading.fault("\(reading.subject) is empty text", at: node.place, expected: expected)
                return nil
            }
            guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
                let message = "\(reading.subject) holds a line break or another control character"
                reading.fault(message, at: node.place, expected: expected)
                return nil
            }
            return text
        }
    }
}

extension ValueType where Value == Bool {
    /// `true` or `false` (YAML 1.2 core schema). Faults for the other words of YAML 1.1 suggest one of them.
    static let truth = ValueType.scalar("true or false", schema: ["type": "boolean"]) { text, isPlain in
        switch text {
        case "true" where isPlain, "True" where isPlain, "TRUE" where isPlain: .value(true)
        case "false" where isPlain, "False" where isPlain, "FALSE" where isPlain: .value(false)
        default:
            switch text.lowercased() {
            case "true", "yes", "on", "y", "1": .refused(suggestion: "true")
            case "false", "no", "off", "n", "0": .refused(suggestion: "false")
            default: .refused(suggestion: nil)
            }
        }
    }
}

extension ValueType where Value == Int {
    /// A whole number in plain digits; not `012`, which is ten in YAML 1.1, nor `1_000`, nor `1.0`.
    static func integer(_ range: ClosedRange<Int>) -> ValueType {
        let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        let schema: SchemaValue = [
            "type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound),
        ]
        return .scalar(expected, schema: schema) { text, isPlain in
            guard isPlain, let number = Int(text), String(number) == text, range.contains(number) else {
                return .refused(suggestion: suggestion(text, range))
            }
            return .value(number)
        }
    }

    private static func suggestion(_ text: String, _ range: ClosedRange<Int>) -> String? {
        var digits = text.filter { $0 != "_" && $0 != "," }
        if let dot = digits.firstIndex(of: "."), digits[dot...].dropFirst().allSatisfy({ $0 == "0" }) {
            digits = String(digits[..<dot])
        }
        return Int(digits).flatMap { range.contains($0) && !digits.isEmpty ? String($0) : nil }
    }
}

extension ValueType where Value == Double {
    /// A decimal number.
    static func number(_ range: ClosedRange<Double>) -> ValueType {
        let expected = "a number from \(trimmed(range.lowerBound)) to \(trimmed(range.upperBound))"
        let schema: SchemaValue = [
            "type": "number", "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound),
        ]
        return .scalar(expected, schema: schema) { text, isPlain in
            guard isPlain, text.utf8.first.map({ $0 >= 0x30 && $0 <= 0x39 }) == true,
                text.utf8.allSatisfy({ $0 == 0x2E || ($0 >= 0x30 && $0 <= 0x39) }),
                let number = Double(text), range.contains(number)
            else { return .refused(suggestion: nil) }
            return .value(number)
        }
    }

    private static func trimmed(_ number: Double) -> String {
        let text = String(number)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

extension ValueType where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of the enumeration's raw values.
    static var choice: ValueType {
        let words = Value.allCases.map(\.rawValue)
        let schema: SchemaValue = ["enum": .list(words.map { .string($0) })]
        return .scalar(listed(words), schema: schema) { text, _ in
            Value(rawValue: text).map { .value($0) }
                ?? .refused(suggestion: Suggestion.nearest(to: text, among: words))
        }
    }

    private static func listed(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.joined() }
        return "\(words.dropLast().joined(separator: ", ")) or \(last)"
    }
}
