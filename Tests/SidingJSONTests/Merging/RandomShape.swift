// SPDX-License-Identifier: Apache-2.0
import SidingJSON

/// A random document before it is spelt: the same memberSet is written with other spaces, escapes and digits each time.
///
/// Few names and few values, so that two documents often meet in the same member.
indirect enum RandomShape {
    /// Spellings of one value.
    case scalar([String])
    case array([RandomShape])
    case object([(name: [String], value: RandomShape)])

    /// Of one name each.
    static let names: [[String]] = [
        ["a", #"\u0061"#], ["b"], ["c", #"\u0063"#], ["x y"], [""], ["é", #"\u00e9"#, #"\u00E9"#], ["e\u{301}"],
        [#"q\"t"#, #"q\u0022t"#], ["🎉", #"\ud83c\udf89"#],
    ]

    static let scalars: [[String]] = [
        ["null"], ["null"], ["true"], ["false"], ["0", "-0", "0.00", "0e7"], ["1", "1.0", "1e0", "10E-1", "0.1e+1"],
        ["-12.5", "-125e-1", "-0.125E2"], ["12345678901234567890123", "12345678901234567890123.0"],
        ["12345678901234567890124"], ["1000", "1e3"], [#""""#], [#""tmp-1""#, #""\u0074mp-1""#, #""tmp\u002D1""#],
        [#""tmp-12""#], [#""é""#, #""\u00e9""#], [#""1""#], [#""a\/b""#, #""a/b""#],
    ]

    static func random(depth: Int, using random: inout SeededGenerator) -> RandomShape {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3 where depth > 0, 9 where depth > 0:
            return object(depth: depth, using: &random)
        case 3 where depth > 0:
            return .array(
                (0..<Int.random(in: 0...3, using: &random)).map { _ in .random(depth: depth - 1, using: &random) })
        default: return .scalar(scalars.randomElement(using: &random)!)
        }
    }

    static func object(depth: Int, using random: inout SeededGenerator) -> RandomShape {
        let chosen = names.shuffled(using: &random).prefix(Int.random(in: 0...5, using: &random))
        return .object(chosen.map { ($0, .random(depth: depth - 1, using: &random)) })
    }

    /// The same with some members and elements removed, replaced, added or moved.
    func edited(using random: inout SeededGenerator) -> RandomShape {
        switch self {
        case .scalar: return Int.random(in: 0..<3, using: &random) == 0 ? .random(depth: 2, using: &random) : self
        case .array(let elements): return .array(elements.map { $0.edited(using: &random) })
        case .object(var members):
            if Int.random(in: 0..<12, using: &random) == 0 { return .random(depth: 2, using: &random) }
            if Bool.random(using: &random) { members.shuffle(using: &random) }
            members.removeAll { _ in Int.random(in: 0..<8, using: &random) == 0 }
            for index in members.indices where Int.random(in: 0..<3, using: &random) == 0 {
                members[index].value = members[index].value.edited(using: &random)
            }
            let free = Self.names.filter { name in !members.contains { $0.name == name } }
            if let name = free.randomElement(using: &random), Int.random(in: 0..<3, using: &random) == 0 {
                members.append((name, .random(depth: 1, using: &random)))
            }
            return .object(members)
        }
    }

    func document(using random: inout SeededGenerator) throws -> JSONDocument {
        try JSONDocument(text(using: &random))
    }

    private func text(using random: inout SeededGenerator) -> String {
        let space = { (random: inout SeededGenerator) in ["", "", " ", "\n\t"].randomElement(using: &random)! }
        switch self {
        case .scalar(let spellings): return spellings.randomElement(using: &random)!
        case .array(let elements):
            let texts = elements.map { space(&random) + $0.text(using: &random) + space(&random) }
            return "[" + (texts.isEmpty ? space(&random) : texts.joined(separator: ",")) + "]"
        case .object(let members):
            let texts = members.map { member in
                space(&random) + "\"" + member.name.randomElement(using: &random)! + "\"" + space(&random) + ":"
                    + space(&random) + member.value.text(using: &random) + space(&random)
            }
            return "{" + (texts.isEmpty ? space(&random) : texts.joined(separator: ",")) + "}"
        }
    }
}

extension JSONDocument {
    /// Any value, objects more often than others.
    static func random(using random: inout SeededGenerator) throws -> JSONDocument {
        let memberSet =
            Int.random(in: 0..<8, using: &random) == 0
            ? RandomShape.random(depth: 3, using: &random) : RandomShape.object(depth: 4, using: &random)
        return try memberSet.document(using: &random)
    }
}
