public import FoundationEssentials

/// Makes a model of the answer's document: the last step of a chain that reads.
///
/// What fails is ``Failure/Reason/contract`` and names the Swift type, the path, and the start of what stands there. An
/// answer without content is a failure too, unless the model is optional or ``NoContentRepresentable``.
public struct DecodeNode<Model: Sendable>: Node {
    private let mapping: ModelMapping<ParsedResponse, Model>

    /// A node that reads by `mapping`: `.fromRaw`, `.json { … }`, or one of your own.
    public init(_ mapping: ModelMapping<ParsedResponse, Model>) {
        self.mapping = mapping
    }

    public func process(_ input: ParsedResponse, _ context: ChainContext) async throws(Failure) -> Model {
        try mapping(input, of: Model.self, phase: .answered, node: name)
    }

    /// The same model, together with the head that it came with.
    public var keepingHead: DecodeNode<Answer<Model>> {
        DecodeNode<Answer<Model>>(.answer(mapping))
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
