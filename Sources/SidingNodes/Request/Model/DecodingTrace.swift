// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import SidingChain
internal import SidingJSON
internal import SidingSynchronization

/// Finds the place at which a decoder failed without reporting it.
///
/// `JSONDecoder` reports a number that does not fit its type as "not valid JSON", without a path. The document is then decoded
/// a second time with every step traced.
final class DecodingTrace: Sendable {
    @TaskLocal static var current: DecodingTrace?

    private struct Place {
        let path: [any CodingKey]
        let type: String
    }

    private let refused = Mutex<Place?>(nil)

    /// Decodes one scalar, and records its place if it is the last one that failed.
    func watching<Value>(
        _ type: Any.Type, at path: [any CodingKey], _ decode: () throws -> Value
    ) throws -> Value {
        refused.withLock { $0 = nil }
        do { return try decode() } catch {
            refused.withLock { $0 = Place(path: path, type: String(describing: type)) }
            throw error
        }
    }

    /// The error for the number that did not fit, if `error` is about such a number and has no path.
    static func unfitting<Model: Decodable>(
        after error: DecodingError, _ type: Model.Type, in document: JSONDocument, by decoder: JSONDecoder
    ) -> MappingError? {
        guard isPlaceless(error), !TracedType.hasStrategy(type) else { return nil }
        let trace = DecodingTrace()
        do {
            _ = try $current.withValue(trace) {
                try decoder.decode(Traced<Model>.self, from: Data(document.bytes))
            }
            return nil
        } catch let second as DecodingError {
            guard isPlaceless(second) else { return nil }
        } catch {
            return nil
        }
        return trace.refused.withLock { $0 }.map { MappingError(unfitting: $0.type, at: $0.path, in: document) }
    }

    private static func isPlaceless(_ error: DecodingError) -> Bool {
        guard case .dataCorrupted(let context) = error else { return false }
        return context.codingPath.isEmpty
    }
}

/// A value whose decoding is traced.
struct Traced<Value: Decodable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        guard let trace = DecodingTrace.current else {
            value = try Value(from: decoder)
            return
        }
        if TracedType.isScalar(Value.self) {
            value = try trace.watching(Value.self, at: decoder.codingPath) { try Value(from: decoder) }
        } else {
            value = try Value(from: TracingDecoder(base: decoder, trace: trace))
        }
    }
}

/// Types that decoders treat specially.
enum TracedType {
    /// Whether the decoder reads the type by a strategy, or in its own way, and never by `init(from:)`.
    static func hasStrategy(_ type: Any.Type) -> Bool {
        type == Date.self || type == Data.self || type == URL.self || type == Decimal.self
    }

    /// Whether the type is a scalar.
    static func isScalar(_ type: Any.Type) -> Bool {
        type is any FixedWidthInteger.Type || type is any BinaryFloatingPoint.Type || type == Bool.self
            || type == String.self
    }
}

/// Forwards everything to the decoder that it wraps, and traces each scalar.
///
/// The generic methods also replace those for the single scalar types.
struct TracingDecoder: Decoder {
    let base: any Decoder
    let trace: DecodingTrace

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(TracingKeyedContainer(base: try base.container(keyedBy: type), trace: trace))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        TracingUnkeyedContainer(base: try base.unkeyedContainer(), trace: trace)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        TracingValueContainer(base: try base.singleValueContainer(), trace: trace)
    }
}

private struct TracingKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let base: KeyedDecodingContainer<Key>
    let trace: DecodingTrace

    var codingPath: [any CodingKey] { base.codingPath }
    var allKeys: [Key] { base.allKeys }
    func contains(_ key: Key) -> Bool { base.contains(key) }
    func decodeNil(forKey key: Key) throws -> Bool { try base.decodeNil(forKey: key) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        if TracedType.hasStrategy(type) {
            return try trace.watching(type, at: codingPath + [key]) { try base.decode(type, forKey: key) }
        }
        return try base.decode(Traced<Value>.self, forKey: key).value
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        let nested = try base.nestedContainer(keyedBy: type, forKey: key)
        return KeyedDecodingContainer(TracingKeyedContainer<Nested>(base: nested, trace: trace))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        TracingUnkeyedContainer(base: try base.nestedUnkeyedContainer(forKey: key), trace: trace)
    }

    func superDecoder() throws -> any Decoder { TracingDecoder(base: try base.superDecoder(), trace: trace) }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        TracingDecoder(base: try base.superDecoder(forKey: key), trace: trace)
    }
}

private struct TracingUnkeyedContainer: UnkeyedDecodingContainer {
    var base: any UnkeyedDecodingContainer
    let trace: DecodingTrace

    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int? { base.count }
    var isAtEnd: Bool { base.isAtEnd }
    var currentIndex: Int { base.currentIndex }
    mutating func decodeNil() throws -> Bool { try base.decodeNil() }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if TracedType.hasStrategy(type) {
            return try trace.watching(type, at: codingPath + [CodingPathKey(intValue: currentIndex)]) {
                try base.decode(type)
            }
        }
        return try base.decode(Traced<Value>.self).value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(TracingKeyedContainer(base: try base.nestedContainer(keyedBy: type), trace: trace))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        TracingUnkeyedContainer(base: try base.nestedUnkeyedContainer(), trace: trace)
    }

    mutating func superDecoder() throws -> any Decoder {
        TracingDecoder(base: try base.superDecoder(), trace: trace)
    }
}

private struct TracingValueContainer: SingleValueDecodingContainer {
    let base: any SingleValueDecodingContainer
    let trace: DecodingTrace

    var codingPath: [any CodingKey] { base.codingPath }
    func decodeNil() -> Bool { base.decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if TracedType.hasStrategy(type) {
            return try trace.watching(type, at: codingPath) { try base.decode(type) }
        }
        return try base.decode(Traced<Value>.self).value
    }
}
