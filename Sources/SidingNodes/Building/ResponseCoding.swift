// SPDX-License-Identifier: Apache-2.0
public import SidingChain
public import SidingJSON

/// How a chain decodes its response: the second argument of ``URLChainBuilder/build(_:_:)``.
///
/// The short forms of `build` choose one by the output's type. Specify one if the type allows several, or to mix forms.
public struct ResponseCoding<Output: Sendable>: Sendable {
    let reader: any ResponseReader<Output>
}

extension ResponseCoding where Output: Decodable {
    /// A plain model, decoded from the response's JSON by ``URLChainBuilder/decoder``.
    public static var json: ResponseCoding {
        ResponseCoding(reader: ModelReader<Output, Output>(received: { .json($0.decoder) }, mapping: .itself))
    }
}

extension ResponseCoding where Output: DTODecodable, Output.DTO.Raw == JSONDocument {
    /// A model that is created from its DTO.
    public static var dto: ResponseCoding {
        ResponseCoding(reader: ModelReader<Output, Output.DTO>(received: { _ in .fromRaw }, mapping: .fromDTO))
    }
}

extension ResponseCoding where Output: RawDecodable, Output.Raw == JSONDocument {
    /// A value that is created from the response's document. A `JSONDocument` is returned unchanged.
    public static var raw: ResponseCoding {
        ResponseCoding(reader: ModelReader<Output, Output>(received: { _ in .fromRaw }, mapping: .itself))
    }
}

extension ResponseCoding where Output == LoadedResponse {
    /// The raw bytes with the head of the response.
    public static var bytes: ResponseCoding { ResponseCoding(reader: BytesReader()) }
}

extension ResponseCoding where Output == Void {
    /// No output: the response is not parsed.
    public static var none: ResponseCoding { ResponseCoding(reader: SilentReader()) }
}

/// Reads the output of a chain from its response, by way of a private intermediate type.
protocol ResponseReader<Output>: Sendable {
    associatedtype Output: Sendable
    associatedtype Received: Sendable

    /// From the chain's result to the output.
    var mapping: ModelMapping<Received, Output> { get }

    /// The chain from `request` to this reader's intermediate value.
    func chain<Input: Sendable>(
        from request: any Node<Input, RequestDraft>, _ builder: URLChainBuilder
    ) -> any Node<Input, Received>

    /// Decodes a response in memory, from the cache or the origin.
    func decode(_ builder: URLChainBuilder) -> any Node<LoadedResponse, Output>
}

/// Parses the response and decodes a model.
private struct ModelReader<Output: Sendable, Received: Sendable>: ResponseReader {
    let received: @Sendable (URLChainBuilder) -> ModelMapping<ChainResponse<JSONDocument?>, Received>
    let mapping: ModelMapping<Received, Output>

    func chain<Input: Sendable>(
        from request: any Node<Input, RequestDraft>, _ builder: URLChainBuilder
    ) -> any Node<Input, Received> {
        builder.assembly.chain(from: request, to: joined(builder.loading, parsed(by: received(builder), builder)))
    }

    func decode(_ builder: URLChainBuilder) -> any Node<LoadedResponse, Output> {
        parsed(by: received(builder).then(mapping), builder)
    }

    private func parsed<Model: Sendable>(
        by mapping: ModelMapping<ChainResponse<JSONDocument?>, Model>, _ builder: URLChainBuilder
    ) -> any Node<LoadedResponse, Model> {
        let parsing = ResponseDataParserNode(limits: builder.jsonLimits)
        guard let envelope = builder.envelope else { return parsing.then(DecodeNode<Model>(mapping)) }
        return parsing.then(envelope).then(DecodeNode<Model>(mapping))
    }
}

/// Returns the bytes of the response.
private struct BytesReader: ResponseReader {
    let mapping = ModelMapping<LoadedResponse, LoadedResponse>.itself

    func chain<Input: Sendable>(
        from request: any Node<Input, RequestDraft>, _ builder: URLChainBuilder
    ) -> any Node<Input, LoadedResponse> {
        builder.assembly.chain(from: request, to: builder.loading)
    }

    func decode(_ builder: URLChainBuilder) -> any Node<LoadedResponse, LoadedResponse> { LoadedNode { $0 } }
}

/// Waits for the response and ignores its content.
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

/// Converts a loaded response without parsing; not listed as a step.
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
