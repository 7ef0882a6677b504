internal import Siding
internal import SidingJSON

/// A member's value as SQL sees it.
enum MemoryCell: Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)

    init(_ body: [UInt8], at path: JSONPath) {
        self = body.withUnsafeBytes { body in
            guard let value = JSONMembers.value(at: path, in: body) else { return .null }
            switch value.kind {
            case .null: return .null
            case .true: return .integer(1)
            case .false: return .integer(0)
            case .string: return .text(value.string(in: body) ?? "")
            case .number: return MemoryCell(number: value.text(in: body) ?? "")
            case .array, .object:
                return .text(value.bytes(in: body).map { String(decoding: $0, as: UTF8.self) } ?? "")
            }
        }
    }

    init(number text: String) {
        self = Int64(text).map(MemoryCell.integer) ?? .real(Double(text) ?? 0)
    }

    init(_ value: RecordValue) {
        switch value {
        case .null: self = .null
        case .integer(let integer): self = .integer(integer)
        case .digits(let digits): self = .real(Double(digits) ?? 0)
        case .real(let real): self = .real(real)
        case .text(let text): self = .text(text)
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        }
    }

    /// Whether it comes first: null, numbers, texts by their bytes.
    func precedes(_ other: MemoryCell) -> Bool {
        switch (self, other) {
        case (.integer(let one), .integer(let two)): one < two
        case (.integer(let one), .real(let two)): Double(one) < two
        case (.real(let one), .integer(let two)): one < Double(two)
        case (.real(let one), .real(let two)): one < two
        case (.text(let one), .text(let two)): one.utf8.lexicographicallyPrecedes(two.utf8)
        default: rank < other.rank
        }
    }

    func isSame(as other: MemoryCell) -> Bool { !precedes(other) && !other.precedes(self) }
}

extension RecordFilter {
    func isTrue(for body: [UInt8]) -> Bool { holds(for: body) == true }

    /// Nil where SQL knows neither true nor false: a comparison with nothing.
    private func holds(for body: [UInt8]) -> Bool? {
        switch self {
        case .compare(let path, let comparison, let value): compare(path, comparison, value, body)
        case .isOneOf(let path, let values):
            values.contains { compare(path, .isEqual, $0, body) == true }
        case .text(let path, let comparison, let text): compare(path, comparison, text, body)
        case .all(let parts): parts.allSatisfy { $0.isTrue(for: body) }
        case .any(let parts): parts.contains { $0.isTrue(for: body) }
        case .not(let part): !part.isTrue(for: body)
        }
    }

    private func compare(
        _ path: JSONPath, _ comparison: Comparison, _ value: RecordValue, _ body: [UInt8]
    ) -> Bool? {
        if case .digits(let digits) = value, comparison == .isEqual || comparison == .isNotEqual {
            let text = body.withUnsafeBytes { JSONMembers.value(at: path, in: $0)?.text(in: $0) }
            return (text == digits) == (comparison == .isEqual)
        }
        let cell = MemoryCell(body, at: path)
        let wanted = MemoryCell(value)
        switch comparison {
        case .isEqual: return cell.isSame(as: wanted)
        case .isNotEqual: return !cell.isSame(as: wanted)
        default: break
        }
        guard cell != .null, wanted != .null else { return nil }
        switch comparison {
        case .isEqual, .isNotEqual: return nil
        case .isLess: return cell.precedes(wanted)
        case .isLessOrEqual: return !wanted.precedes(cell)
        case .isGreater: return wanted.precedes(cell)
        case .isGreaterOrEqual: return !cell.precedes(wanted)
        }
    }

    private func compare(
        _ path: JSONPath, _ comparison: TextComparison, _ text: String, _ body: [UInt8]
    ) -> Bool? {
        guard case .text(let found) = MemoryCell(body, at: path) else { return nil }
        switch comparison {
        case .contains:
            let (whole, part) = (Array(found.utf8), Array(text.utf8))
            return part.isEmpty || whole.indices.contains { whole[$0...].starts(with: part) }
        case .hasPrefix: return found.utf8.starts(with: text.utf8)
        case .isLike: return Self.isLike(Array(found.unicodeScalars)[...], Array(text.unicodeScalars)[...])
        }
    }

    private static func isLike(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        switch first {
        case "%": return (text.startIndex...text.endIndex).contains { isLike(text[$0...], rest) }
        case "_": return !text.isEmpty && isLike(text.dropFirst(), rest)
        case "\\":
            guard let literal = rest.first else { return false }
            return isSame(text.first, literal) && isLike(text.dropFirst(), rest.dropFirst())
        default: return isSame(text.first, first) && isLike(text.dropFirst(), rest)
        }
    }

    private static func isSame(_ one: Unicode.Scalar?, _ other: Unicode.Scalar) -> Bool {
        guard let one else { return false }
        return one == other
            || (one.isASCII && other.isASCII && one.properties.lowercaseMapping == other.properties.lowercaseMapping)
    }
}
