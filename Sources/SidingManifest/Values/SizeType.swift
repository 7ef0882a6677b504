extension ValueType where Value == Int {
    /// A size such as `64KiB`, `50MiB`, `1GiB`, `10MB`, or plain bytes.
    static func size(upTo most: Int) -> ValueType {
        let expected = "a size such as 64KiB, 50MiB or 1GiB, at most \(SizeText.describe(most))"
        let schema: SchemaValue = [
            "anyOf": [["type": "integer", "minimum": 1], ["type": "string", "pattern": .string(SizeText.pattern)]]
        ]
        return .scalar(expected, schema: schema) { text, _ in
            guard let bytes = SizeText.parse(text), (1...most).contains(bytes) else {
                return .refused(suggestion: SizeText.suggestion(text))
            }
            return .value(bytes)
        }
    }
}

/// Parses sizes of the config.
enum SizeText {
    static let pattern = "^[0-9]{1,15}(B|KB|MB|GB|KiB|MiB|GiB)?$"

    private static let units: [(name: String, bytes: Int)] = [
        ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1_000),
        ("B", 1), ("", 1),
    ]

    /// Nil if the text is not a size, or the bytes overflow an Int.
    static func parse(_ text: String) -> Int? {
        let number = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(number.count)
        guard (1...15).contains(number.count), let count = Int(number),
            let bytes = units.first(where: { $0.name == unit })?.bytes
        else { return nil }
        let (product, overflow) = count.multipliedReportingOverflow(by: bytes)
        return overflow ? nil : product
    }

    /// A correction such as `64MiB` for `64 mib` or `64M`.
    static func suggestion(_ text: String) -> String? {
        let packed = text.lowercased().filter { $0 != " " && $0 != "_" }
        let number = packed.prefix { $0.isASCII && $0.isNumber }
        let unit = packed.dropFirst(number.count)
        let name = units.first { $0.name.lowercased() == unit || $0.name.lowercased() == unit + "ib" }?.name
        guard let name, !number.isEmpty, let bytes = parse(number + name), bytes > 0, number + name != text else {
            return nil
        }
        return number + name
    }

    static func describe(_ bytes: Int) -> String {
        let unit = units.first { bytes % $0.bytes == 0 && bytes >= $0.bytes } ?? units[units.count - 1]
        return "\(bytes / unit.bytes)\(unit.name)"
    }
}
