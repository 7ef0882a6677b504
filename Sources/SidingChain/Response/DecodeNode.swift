public import FoundationEssentials
public import SidingJSON

/// Makes a model of the answer's document: the last step of a chain that reads.
///
/// What fails is ``Failure/Reason/contract`` and names the Swift type, the path, and the start of what stands there. An
/// answer without content is a failure too, unless the model is optional or ``NoContentRepresentable``.
public struct DecodeNode<Model: Sendable>: Node {
    private let mapping: ModelMapping<Response<JSONDocument?>, Model>

    /// A node that reads by `mapping`: `.fromRaw`, `.json { … }`, or one of your own.
    public init(_ mapping: ModelMapping<Response<JSONDocument?>, Model>) {
        self.mapping = mapping
    }

    public func process(_ input: Response<JSONDocument?>, _ context: ChainContext) async throws(Failure) -> Model {
        try mapping(input, of: Model.self, phase: .answered, node: name)
    }

    /// The same model, together with the head that it came with.
    public var keepingHead: DecodeNode<Response<Model>> {
        DecodeNode<Response<Model>>(.keepingHead(mapping))
    }
}

extension DecodeNode where Model: Decodable {
    /// A node that reads a plain `Decodable` model.
    ///
    /// - Parameter decoder: makes a decoder for each call, with its strategies for dates, keys and data.
    public init(decoder: @escaping @Sendable () -> JSONDecoder = JSONCoding.decoder) {
        self.init(.json(decoder))
    }
}

/// A type with a value that stands for "the origin had nothing to say" (204, 205, 304).
///
/// Optionals are such: nil. Arrays are not, and must not be: no content is never an empty list.
public protocol NoContentRepresentable {
    static var noContent: Self { get }
}

extension Optional: NoContentRepresentable {
    public static var noContent: Wrapped? { nil }
}

/// The value of `type` for an answer without content.
///
/// - Throws: ``MappingError`` where the type has none.
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
