// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import SidingChain
public import SidingJSON

/// Decodes the response's document into a model: the last step of a reading chain.
///
/// Failures are `Failure.Reason.contract` and name the Swift type, the path, and the start of the value there. A response
/// without content is a failure too, unless the model is optional.
public struct DecodeNode<Model: Sendable>: Node {
    private let mapping: ModelMapping<ChainResponse<JSONDocument?>, Model>

    /// A node that decodes by `mapping`: `.fromRaw`, `.json { … }`, or a custom one.
    public init(_ mapping: ModelMapping<ChainResponse<JSONDocument?>, Model>) {
        self.mapping = mapping
    }

    public func process(_ input: ChainResponse<JSONDocument?>, _ context: ChainContext) async throws(Failure) -> Model {
        try mapping(input, of: Model.self, phase: .answered, node: name)
    }

    /// Returns the model together with the head of its response.
    public var keepingHead: DecodeNode<ChainResponse<Model>> {
        DecodeNode<ChainResponse<Model>>(.keepingHead(mapping))
    }
}

extension DecodeNode where Model: Decodable {
    /// A node that decodes a plain `Decodable` model.
    ///
    /// - Parameter decoder: makes a decoder for each call, with its strategies for dates, keys and data; by default as
    ///   ``URLChainBuilder/decoder`` does.
    public init(decoder: (@Sendable () -> JSONDecoder)? = nil) {
        self.init(.json(decoder))
    }
}

/// A type with a value for responses without content (204, 205, 304).
///
/// Optionals conform: nil. Arrays do not and must not: no content is never an empty list.
package protocol NoContentRepresentable {
    static var noContent: Self { get }
}

extension Optional: NoContentRepresentable {
    package static var noContent: Wrapped? { nil }
}

/// The value of `type` for a response without content.
///
/// - Throws: ``MappingError`` if the type has none.
func noContent<Value>(as type: Value.Type, status: Int? = nil) throws(MappingError) -> Value {
    if let representable = type as? any NoContentRepresentable.Type,
        let value = representable.noContent as? Value
    {
        return value
    }
    let answer = status.map { " (status \($0))" } ?? ""
    var error = MappingError("no content\(answer) where a \(Value.self) was expected")
    error.type = String(describing: type)
    throw error
}
