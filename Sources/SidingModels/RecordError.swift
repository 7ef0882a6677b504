// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
public import Siding
public import SidingChain
internal import SidingJSON

/// The error for typed records that could not be read, searched, or prepared for writing.
public enum RecordError: Error, Sendable, CustomStringConvertible {
    /// The database could not be read or written, for example because it is busy, full or damaged.
    case store(StoreError)
    /// A stored body does not decode as the model.
    case undecodable(UndecodableRecord)
    /// The JSON path of a property is unknown.
    case member(MemberError)
    /// A function of the program threw an error.
    case userCode(any Error)

    public var description: String {
        switch self {
        case .store(let error): error.description
        case .undecodable(let record): record.description
        case .member(let error): error.description
        case .userCode(let error): "the program's own step failed: \(PlainText.oneLine(String(describing: error)))"
        }
    }

    /// Maps a store error of `body`.
    static func mapping<Value>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(RecordError) -> Value {
        do throws(StoreError) { return try await body() } catch { throw .store(error) }
    }

    /// The failure of a chain step that ends in this error; earlier steps have been answered.
    public func failure(at node: String) -> Failure {
        switch self {
        case .store(let error) where error.kind == .cancelled:
            Failure(.cancelled, phase: .answered, underlying: self).at(node: node)
        case .store(let error):
            Failure(.storage(error.kind.rawValue), phase: .answered, detail: description, underlying: self)
                .at(node: node)
        case .undecodable:
            Failure(.storage("undecodable"), phase: .answered, detail: description, underlying: self).at(node: node)
        case .member:
            Failure(.storage("invalid_query"), phase: .answered, detail: description, underlying: self).at(node: node)
        case .userCode(let error):
            Failure.wrapping(error, phase: .answered).at(node: node)
        }
    }
}

/// A stored record that does not decode as its model, with path, problem and JSON fragment.
public struct UndecodableRecord: Error, Sendable, CustomStringConvertible {
    /// The name of its resource.
    public var resource: String
    /// Its key.
    public var key: String
    /// The model's type.
    public var type: String
    /// The path in the record, as in `user.labels[0]`; empty for the record itself.
    public var codingPath: String
    /// What is wrong there.
    public var problem: String
    /// The JSON at that path, truncated to 120 characters.
    public var fragment: String

    public var description: String {
        let place = codingPath.isEmpty ? "" : " at \(codingPath)"
        return
            "the record '\(PlainText.oneLine(key, limit: 80))' of '\(resource)' is no \(type): \(problem)\(place): \(fragment)"
    }

    init(_ record: Record, as type: Any.Type, _ error: any Error) {
        let context = (error as? DecodingError)?.context
        resource = record.resource
        key = record.key
        self.type = "\(type)"
        problem = PlainText.oneLine(Self.problem(of: error, context), limit: 200)
        let path = context?.codingPath ?? []
        codingPath = path.reduce("") { text, key in
            if let index = key.intValue { return "\(text)[\(index)]" }
            return text.isEmpty ? key.stringValue : "\(text).\(key.stringValue)"
        }
        fragment = PlainText.oneLine(Self.fragment(of: record.body, at: path), limit: 120)
    }

    private static func problem(of error: any Error, _ context: DecodingError.Context?) -> String {
        switch error as? DecodingError {
        case .keyNotFound(let key, _): "the member '\(key.stringValue)' is missing"
        case .typeMismatch(let type, _): "it is no \(type)"
        case .valueNotFound(let type, _): "it is null where a \(type) is wanted"
        default: context?.debugDescription ?? String(describing: error)
        }
    }

    /// The value at the path, as far as it consists of names.
    private static func fragment(of body: [UInt8], at path: [any CodingKey]) -> String {
        let names = path.prefix { $0.intValue == nil }.map(\.stringValue)
        return body.withUnsafeBytes { body in
            let found = names.isEmpty ? nil : JSONMembers.value(at: JSONPath(members: names), in: body)?.bytes(in: body)
            return String(decoding: (found ?? body).prefix(600), as: UTF8.self)
        }
    }
}
