public import SidingJSON

/// How an answer becomes the output of a chain: the second half of ``URLChainBuilder/build(_:_:)``.
///
/// The short forms of `build` choose one by the output's type. Say one where the type allows several, or to mix forms.
public struct ResponseCoding<Output: Sendable>: Sendable {
    let reader: any ResponseReader<Output>
}

extension ResponseCoding where Output: Decodable {
    /// A plain model of the answer's JSON, read by ``URLChainBuilder/decoder``.
    public static var json: ResponseCoding {
        ResponseCoding(reader: ModelReader<Output, Output>(received: { .json($0.decoder) }, mapping: .itself))
    }
}

extension ResponseCoding where Output: DTODecodable, Output.DTO.Raw == JSONDocument {
    /// A model that is made of its DTO.
    public static var dto: ResponseCoding {
        ResponseCoding(reader: ModelReader<Output, Output.DTO>(received: { _ in .fromRaw }, mapping: .fromDTO))
    }
}

extension ResponseCoding where Output: RawDecodable, Output.Raw == JSONDocument {
    /// A value that is made of the answer's document. A `JSONDocument` is given as it came.
    public static var raw: ResponseCoding {
        ResponseCoding(reader: ModelReader<Output, Output>(received: { _ in .fromRaw }, mapping: .itself))
    }
}

extension ResponseCoding where Output == LoadedResponse {
    /// The bytes as they came, with the answer's head.
    public static var bytes: ResponseCoding { ResponseCoding(reader: BytesReader()) }
}

extension ResponseCoding where Output == Void {
    /// Nothing but whether it went well: the answer is not parsed.
    public static var none: ResponseCoding { ResponseCoding(reader: SilentReader()) }
}

/// Reads the output of a chain from its answer; what stands in between stays the reader's own.
protocol ResponseReader<Output>: Sendable {
    associatedtype Output: Sendable
    associatedtype Received: Sendable

    /// From what the chain gives to the output.
    var mapping: ModelMapping<Received, Output> { get }

    /// The chain from `request` to what this reader receives.
    func chain<Input: Sendable>(
        from request: any Node<Input, RequestDraft>, _ builder: URLChainBuilder
    ) -> any Node<Input, Received>

    /// Reads an answer that is in memory, the stored one of a cache or the origin's.
    func decode(_ builder: URLChainBuilder) -> any Node<LoadedResponse, Output>
}

/// Parses the answer and decodes a model.
private struct ModelReader<Output: Sendable, Received: Sendable>: ResponseReader {
    let received: @Sendable (URLChainBuilder) -> ModelMapping<Response<JSONDocument?>, Received>
    let mapping: ModelMapping<Received, Output>

    func chain<Input: Sendable>(
        from request: any Node<Input, RequestDraft>, _ builder: URLChainBuilder
    ) -> any Node<Input, Received> {
        builder.assembly.chain(from: request, to: Self.joined(builder.loading, parsed(by: received(builder), builder)))
    }

    func decode(_ builder: URLChainBuilder) -> any Node<LoadedResponse, Output> {
        parsed(by: received(builder).then(mapping), builder)
    }

    private func parsed<Model: Sendable>(
        by mapping: ModelMapping<Response<JSONDocument?>, Model>, _ builder: URLChainBuilder
    ) -> any Node<LoadedResponse, Model> {
        let parsing = ResponseDataParserNode(limits: builder.jsonLimits)
        guard let envelope = builder.envelope else { return parsing.then(DecodeNode<Model>(mapping)) }
        return parsing.then(envelope).then(DecodeNode<Model>(mapping))
    }

    private static func joined<First: Node, Second: Node>(
        _ first: First, _ second: Second
    ) -> any Node<First.Input, Second.Output> where First.Output == Second.Input {
        first.then(second)
    }
}

/// Gives the bytes of the answer.
private struct BytesReader: ResponseReader {
    let mapping = ModelMapping<LoadedResponse, LoadedResponse>.itself

    func chain<Input: Sendable>(
        from request: any Node<Input, RequestDraft>, _ builder: URLChainBuilder
    ) -> any Node<Input, LoadedResponse> {
        builder.assembly.chain(from: request, to: builder.loading)
    }

    func decode(_ builder: URLChainBuilder) -> any Node<LoadedResponse, LoadedResponse> { LoadedNode { $0 } }
}

/// Waits for the answer and looks at nothing but its head.
private struct SilentReader: ResponseReader {
    let mapping = ModelMapping<Void, Void>.itself

    func chain<Input: Sendable>(
        from request: any Node<Input, RequestDraft>, _ builder: URLChainBuilder
    ) -> any Node<Input, Void> {
        Self.muted(builder.assembly.chain(from: request, to: builder.loading))
    }

    func decode(_ builder: URLChainBuilder) -> any Node<LoadedResponse, Void> { LoadedNode { _ in } }

    private static func muted<Inner: Node>(_ inner: Inner) -> any Node<Inner.Input, Void> { VoidOutputNode(inner) }
}

/// What a loaded answer gives without parsing; no step of its own.
private struct LoadedNode<Output: Sendable>: Node {
    let read: @Sendable (LoadedResponse) -> Output

    init(_ read: @escaping @Sendable (LoadedResponse) -> Output) {
        self.read = read
    }

    var steps: [String] { [] }

    func process(_ input: LoadedResponse, _ context: ChainContext) async throws(Failure) -> Output { read(input) }
}

extension URLChainBuilder {
    fileprivate var loading: ResponseDataLoaderNode { ResponseDataLoaderNode(limit: bodyLimit) }
}
