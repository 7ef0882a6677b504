// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

extension ValueType where Value == Int {
    /// A size such as `64KiB`, `50MiB`, `1GiB`, `10MB`, or plain bytes.
    static func size(upTo most: Int) -> ValueType {
        let expected = "a size such as 64KiB, 50MiB or 1GiB, at most \(ByteSize.exact(most))"
        let schema: SchemaValue = [
            "anyOf": [["type": "integer", "minimum": 1], ["type": "string", "pattern": .string(SizeText.pattern)]]
        ]
        return .scalar(expected, schema: schema) { text, _ in
            guard let bytes = ByteSize.parse(text), (1...most).contains(bytes) else {
                return .refused(suggestion: SizeText.suggestion(text))
            }
            return .value(bytes)
        }
    }
}

/// The form of sizes in the config; see ``ByteSize``.
enum SizeText {
    static let pattern = "^[0-9]{1,15}(B|KB|MB|GB|KiB|MiB|GiB)?$"

    /// A correction such as `64MiB` for `64 mib` or `64M`.
    static func suggestion(_ text: String) -> String? {
        let packed = text.lowercased().filter { $0 != " " && $0 != "_" }
        let number = packed.prefix { $0.isASCII && $0.isNumber }
        let unit = packed.dropFirst(number.count)
        let name =
            unit.isEmpty
            ? "" : ByteSize.units.map(\.key).first { [String(unit), unit + "ib"].contains($0.lowercased()) }
        guard let name, !number.isEmpty, let bytes = ByteSize.parse(number + name), bytes > 0, number + name != text
        else {
            return nil
        }
        return number + name
    }
}
