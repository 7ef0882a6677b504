internal import FoundationEssentials
internal import SidingJSON

/// JSON as it is stored in columns.
extension Store {
    static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ text: String?) -> Value? {
        text.flatMap { try? JSONDecoder().decode(type, from: Data($0.utf8)) }
    }

    /// Parses stored bytes without limits: they were checked under the limits of the time they were stored.
    static func document(_ bytes: [UInt8]) throws -> JSONDocument {
        let limits = JSONLimits(maxDepth: .max, maxValues: .max, maxStringBytes: .max)
        do { return try JSONDocument(bytes, limits: limits) } catch {
            throw StoreError(.corrupt, "a stored record or edit is not JSON: \(error)")
        }
    }
}
