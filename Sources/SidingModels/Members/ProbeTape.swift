// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

/// Makes up the values from which a model is decoded, and records the paths that it reads.
final class ProbeTape {
    /// Models may be recursive: beyond this depth or number of values, optional members are nil.
    private static let deepest = 6
    private static let most = 4_000

    private let varied: [String]?
    private(set) var places: [[String]] = []
    private var count = 0
    /// Whether the model's coding keys have a name; nil if the model has none, or takes any name.
    private(set) var isMember: ((String) -> Bool)?

    /// - Parameter place: the path with the other value; nil for none.
    init(varying place: [String]?) {
        varied = place
    }

    /// Whether the path has its other value; records a new path.
    func isVaried(_ place: [String]) -> Bool {
        count += 1
        if varied == nil, !places.contains(place) { places.append(place) }
        return varied == place
    }

    /// Notes the coding keys of the model itself.
    func note<Key: CodingKey>(_ keys: Key.Type, at place: [String]) {
        guard place.isEmpty, isMember == nil, Key(stringValue: "") == nil else { return }
        isMember = { Key(stringValue: $0) != nil }
    }

    /// Whether optional members must be nil from here on.
    func isTooDeep(_ place: [String]) -> Bool {
        place.count > Self.deepest || count > Self.most
    }

    func decode<Value: Decodable>(_ type: Value.Type, at place: [String] = []) throws -> Value {
        if let value = known(type, place) { return value }
        guard place.count <= Self.deepest * 2, count <= Self.most * 2 else {
            throw ProbeRefusal(type: "\(type)", place: place)
        }
        do {
            return try Value(from: ProbeDecoder(tape: self, place: place))
        } catch let refusal as ProbeRefusal {
            throw refusal
        } catch {
            throw ProbeRefusal(type: "\(type)", place: place)
        }
    }

    /// Scalars, and types that do not accept every value or have their own JSON format.
    private func known<Value: Decodable>(_ type: Value.Type, _ place: [String]) -> Value? {
        switch type {
        case is Bool.Type: isVaried(place) as? Value
        case is String.Type: (isVaried(place) ? "b" : "a") as? Value
        case is Double.Type: (isVaried(place) ? 2.5 : 1.5) as? Value
        case is Float.Type: Float(isVaried(place) ? 2.5 : 1.5) as? Value
        // Decoders refuse longer ones.
        case let integer as any FixedWidthInteger.Type where integer.bitWidth <= 64:
            integer.init(truncatingIfNeeded: isVaried(place) ? 2 : 1) as? Value
        case is Date.Type: Date(timeIntervalSince1970: isVaried(place) ? 2_000_000 : 1_000_000) as? Value
        case is URL.Type: URL(string: isVaried(place) ? "https://b.example" : "https://a.example") as? Value
        case is UUID.Type: Self.uuid(isVaried(place) ? 2 : 1) as? Value
        case is Decimal.Type: (isVaried(place) ? Decimal(2) : Decimal(1)) as? Value
        case is Data.Type: Data([isVaried(place) ? 2 : 1]) as? Value
        case let cases as any CaseIterable.Type: Self.someCase(of: cases, isVaried(place)) as? Value
        default: nil
        }
    }

    private static func uuid(_ last: UInt8) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last))
    }

    private static func someCase<Cases: CaseIterable>(of type: Cases.Type, _ isOther: Bool) -> Any? {
        isOther ? type.allCases.dropFirst().first ?? type.allCases.first : type.allCases.first
    }
}

/// The error for a type that cannot be decoded from made-up values.
struct ProbeRefusal: Error, CustomStringConvertible {
    let type: String
    let place: [String]

    var description: String {
        let position = place.isEmpty ? "" : " at \(place.joined(separator: "."))"
        return "\(type)\(position) takes only certain values, which a search cannot guess unless it is CaseIterable"
    }
}
