// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
internal import Siding
internal import SidingChain
internal import SidingJSON

/// Converts models to JSON and back, with the date format and names of an origin.
public struct RecordCoding: Sendable {
    private let makeDecoder: @Sendable () -> JSONDecoder
    private let makeEncoder: @Sendable () -> JSONEncoder

    /// As requests and responses are coded (`URLChainBuilder.encoder`); names as in the model's coding keys.
    public static let standard = RecordCoding()

    /// As requests and responses are coded: dates of RFC 3339.
    ///
    /// - Parameter usesSnakeCase: whether `createdAt` is `created_at` in the JSON.
    public init(usesSnakeCase: Bool = false) {
        self.init(
            decoder: {
                let decoder = JSONCoding.decoder()
                if usesSnakeCase { decoder.keyDecodingStrategy = .convertFromSnakeCase }
                return decoder
            },
            encoder: {
                let encoder = JSONCoding.encoder()
                if usesSnakeCase { encoder.keyEncodingStrategy = .convertToSnakeCase }
                return encoder
            })
    }

    /// Custom coders. Members are always written in the order of their names, and the elements of sets in a fixed order, so that
    /// equal models have equal bytes.
    ///
    /// - Parameters:
    ///   - decoder: makes a decoder; called once per read.
    ///   - encoder: makes the matching encoder; called once per write, and for the values of predicates.
    public init(decoder: @escaping @Sendable () -> JSONDecoder, encoder: @escaping @Sendable () -> JSONEncoder) {
        makeDecoder = decoder
        makeEncoder = encoder
    }

    func decoder() -> JSONDecoder { makeDecoder() }

    func encoder() -> JSONEncoder {
        let encoder = makeEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if let key = CodingUserInfoKey.ofElements { encoder.userInfo[key] = ElementEncoder(self) }
        return encoder
    }
}

extension RecordCoding {
    /// The value's JSON; nil if it has none.
    func json(of value: Any) -> [UInt8]? {
        guard let value = value as? any Encodable else { return nil }
        return Self.json(value, encoder())
    }

    private static func json(_ value: some Encodable, _ encoder: JSONEncoder) -> [UInt8]? {
        // In an array, as older decoders and encoders reject a scalar root.
        guard let data = try? encoder.encode([value]), data.count >= 2 else { return nil }
        return Array(data.dropFirst().dropLast())
    }

    /// The JSON names of these coding keys.
    func memberNames(_ keys: [String]) -> [String] {
        let encoder = encoder()
        return keys.map { key in
            guard let data = try? encoder.encode(OneMember(key: key)) else { return key }
            return Array(data).withUnsafeBytes { JSONMembers.topLevelMembers(of: $0).first?.name } ?? key
        }
    }

    /// The value of a predicate, as it is written in a record.
    ///
    /// - Throws: ``RecordError`` if it is an object or an array, or cannot be encoded.
    func value(of value: some Encodable) throws(RecordError) -> RecordValue {
        switch value {
        case let text as String: return .text(text)
        case let integer as Int: return .integer(Int64(integer))
        case let flag as Bool: return .integer(flag ? 1 : 0)
        default: break
        }
        let json = Self.json(value, encoder())
        guard let found = json?.withUnsafeBytes(Self.scalar) else {
            throw .store(
                StoreError(.invalidQuery, "a \(type(of: value)) is not written as one text, number, boolean or null"))
        }
        return found
    }

    private static func scalar(_ json: UnsafeRawBufferPointer) -> RecordValue? {
        guard let value = JSONMembers.value(at: .root, in: json) else { return nil }
        switch value.kind {
        case .null: return .null
        case .true: return .integer(1)
        case .false: return .integer(0)
        case .string: return value.string(in: json).map(RecordValue.text)
        case .number: return value.text(in: json).flatMap(RecordValue.init(number:))
        case .array, .object: return nil
        }
    }

    private struct OneMember: Encodable {
        let key: String

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: ProbeKey.self)
            try container.encode(0, forKey: ProbeKey(key))
        }
    }
}

extension RecordValue {
    /// A number in JSON notation.
    init?(number text: String) {
        if text.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }) {
            guard let real = Double(text) else { return nil }
            self = .real(real)
        } else {
            self = Int64(text).map(RecordValue.integer) ?? .digits(text)
        }
    }
}

/// Decodes records with one shared decoder, as making a decoder costs more than using it.
struct RecordDecoder {
    private let decoder: JSONDecoder

    init(_ coding: RecordCoding) {
        decoder = coding.decoder()
    }

    func decode<Model: Decodable>(_ type: Model.Type, _ record: Record) throws(RecordError) -> Model {
        do {
            return try decoder.decode(type, from: Data(record.body))
        } catch {
            throw .undecodable(UndecodableRecord(record, as: type, error))
        }
    }
}
