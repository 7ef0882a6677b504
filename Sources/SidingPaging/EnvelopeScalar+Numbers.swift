// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON

extension EnvelopeScalar {
    init?(_ value: JSONDocument) {
        switch value.kind {
        case .string: self = .text(value.string ?? "")
        case .number: self = .number(String(decoding: value.bytes, as: UTF8.self))
        case .true, .false: self = .bool(value.kind == .true)
        case .null, .array, .object: return nil
        }
    }

    /// The value, if it is a whole number (`150`, `150.0`) or the text of one (`"150"`, `" 1,500 "`); the largest one in place of
    /// any that is larger.
    var wholeNumber: Int? {
        switch self {
        case .number(let text): Int(text) ?? Double(text).flatMap(Self.whole)
        case .text(let text):
            Int(text) ?? Self.number(in: text.utf8.drop { $0 == UInt8(ascii: " ") })
        case .bool, .structure: nil
        }
    }

    private static func number(in text: Substring.UTF8View) -> Int? {
        guard let first = text.first, digits.contains(first),
            let last = text.lastIndex(where: { $0 != UInt8(ascii: " ") })
        else { return nil }
        let number = String(decoding: text[...last], as: UTF8.self)
        return Int(number) ?? grouped(number) ?? (number.utf8.allSatisfy(digits.contains) ? .max : nil)
    }

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    private static func whole(_ number: Double) -> Int? {
        guard number.rounded() == number else { return nil }
        return Int(exactly: number) ?? (number > 0 ? .max : .min)
    }

    /// The number in `150 items`.
    func counted(_ names: RecordNames) -> Int? {
        guard case .text(let text) = self, text.utf8.first.map(Self.digits.contains) ?? false else { return nil }
        let words = text.split(separator: " ")
        guard words.count == 2, ExtentName(String(words[1]), names).means(.records) else { return nil }
        return EnvelopeScalar.text(String(words[0])).wholeNumber
    }

    /// The number at the start of a text.
    var leadingNumber: Int? {
        guard case .text(let text) = self else { return nil }
        return text.split(separator: " ").first.flatMap { EnvelopeScalar.text(String($0)).wholeNumber }
    }

    /// The number whose digits are grouped by thousands, such as `1,500`.
    ///
    /// Every header field of every page comes here, and a `Regex` literal is compiled at each use.
    private static func grouped(_ text: String) -> Int? {
        guard text.utf8.count <= 26, text.utf8.first.map(digits.contains) ?? false else { return nil }
        let groups = text.utf8.split(omittingEmptySubsequences: false) { ",._' ".utf8.contains($0) }
        guard groups.count > 1, groups[0].count <= 3, groups.dropFirst().allSatisfy({ $0.count == 3 }),
            groups.joined().allSatisfy(digits.contains)
        else { return nil }
        return Int(String(decoding: groups.joined(), as: UTF8.self))
    }

    /// - Parameter orNumber: whether 0 and 1 count.
    func truth(orNumber: Bool) -> Bool? {
        switch self {
        case .bool(let truth): truth
        case .text(let text):
            switch text.utf8.count <= 5 ? text.lowercased() : "" {
            case "true", "yes", "y": true
            case "false", "no", "n": false
            case "1" where orNumber: true
            case "0" where orNumber: false
            default: nil
            }
        case .number(let digits): orNumber ? ["0": false, "1": true][digits] : nil
        case .structure: nil
        }
    }
}

extension String {
    /// Whether it has nothing but white space: as good as none.
    var isBlank: Bool { utf8.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }
}
