// SPDX-License-Identifier: Apache-2.0
/// Valid pages of random memberSet: odd spacing, escapes, nesting, Unicode of all lengths.
enum RandomJSON {
    static func page(using random: inout SeededGenerator) -> String {
        let count = Int.random(in: 0...6, using: &random)
        let items = (0..<count).map { _ in record(using: &random) }.joined(separator: space(&random) + ",")
        let before = value(depth: 3, using: &random)
        return """
            \(space(&random)){"before":\(before),"items":[\(items)\(space(&random))]\(space(&random)),
            "after":{"x":\(value(depth: 2, using: &random)),"next":\(string(using: &random))}}\(space(&random))
            """
    }

    static func record(using random: inout SeededGenerator) -> String {
        let key =
            Bool.random(using: &random) ? string(using: &random) : "\(Int32.random(in: .min ... .max, using: &random))"
        var members = ["\(Bool.random(using: &random) ? #""id""# : #""\u0069\u0064""#)\(space(&random)):\(key)"]
        for index in 0..<Int.random(in: 0...60, using: &random) {
            members.append("\"m\(index)\"" + space(&random) + ":" + value(depth: 3, using: &random))
        }
        return space(&random) + "{" + members.shuffled(using: &random).joined(separator: ",") + "}"
    }

    static func value(depth: Int, using random: inout SeededGenerator) -> String {
        let space = space(&random)
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
        case 0: return space + "null"
        case 1: return space + "true" + space
        case 2: return "false"
        case 3: return space + "\(Int64.random(in: -1_000_000_000...1_000_000_000, using: &random))"
        case 4: return "\(Double.random(in: -1000...1000, using: &random))" + space
        case 5, 6: return string(using: &random)
        case 7:
            let elements = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                value(depth: depth - 1, using: &random)
            }
            return "[" + space + elements.joined(separator: ",") + "]"
        default:
            let members = (0..<Int.random(in: 0...4, using: &random)).map { index in
                "\"k\(index)\":" + value(depth: depth - 1, using: &random)
            }
            return "{" + space + members.joined(separator: "," + space) + "}"
        }
    }

    static func string(using random: inout SeededGenerator) -> String {
        let pieces = [
            "a", "word ", "é", "東京", "🎉", #"\n"#, #"\""#, #"\\"#, #"\/"#, #"\u00e9"#, #"\ud83c\udf89"#, #"\u001f"#,
            "0123456789abcdef",
        ]
        let count = Int.random(in: 0...8, using: &random)
        return "\"" + (0..<count).map { _ in pieces.randomElement(using: &random)! }.joined() + "\""
    }

    private static func space(_ random: inout SeededGenerator) -> String {
        ["", "", " ", "\n", "\t \r\n"].randomElement(using: &random)!
    }
}
