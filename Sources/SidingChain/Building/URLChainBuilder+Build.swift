public import SidingJSON

// A model that is its own DTO needs nothing but `Codable`. Where a type is both, its DTO is what travels: the plain forms
// are the disfavoured ones.
extension URLChainBuilder {
    /// A chain from a model to a model, each by its DTO.
    public func build<I: DTOEncodable, O: DTODecodable>(
        _ input: I.Type = I.self, to output: O.Type = O.self
    ) -> Chain<I, O> where I.DTO.Raw == JSONDocument, O.DTO.Raw == JSONDocument {
        chain(.travelling(), documents, read(.fromRaw), .fromDTO)
    }

    /// A chain from a plain model to a plain model.
    @_disfavoredOverload
    public func build<I: Encodable & Sendable, O: Decodable & Sendable>(
        _ input: I.Type = I.self, to output: O.Type = O.self
    ) -> Chain<I, O> {
        chain(.given(), models(), read(.json(decoder)), .itself)
    }

    /// A chain without input to a model, by its DTO. No body is sent.
    public func build<O: DTODecodable>(_ input: Void.Type = Void.self, to output: O.Type = O.self) -> Chain<Void, O>
    where O.DTO.Raw == JSONDocument {
        chain(.nothing(), documents, read(.fromRaw), .fromDTO)
    }

    /// A chain without input to a plain model. No body is sent.
    @_disfavoredOverload
    public func build<O: Decodable & Sendable>(
        _ input: Void.Type = Void.self, to output: O.Type = O.self
    ) -> Chain<Void, O> {
        chain(.nothing(), documents, read(.json(decoder)), .itself)
    }

    /// A chain from a model, by its DTO, to nothing but whether it went well.
    public func build<I: DTOEncodable>(_ input: I.Type = I.self, to output: Void.Type = Void.self) -> Chain<I, Void>
    where I.DTO.Raw == JSONDocument {
        silent(.travelling(), documents)
    }

    /// A chain from a plain model to nothing but whether it went well.
    @_disfavoredOverload
    public func build<I: Encodable & Sendable>(
        _ input: I.Type = I.self, to output: Void.Type = Void.self
    ) -> Chain<I, Void> {
        silent(.given(), models())
    }

    /// A chain without input and output. No body is sent.
    public func build(_ input: Void.Type = Void.self, to output: Void.Type = Void.self) -> Chain<Void, Void> {
        silent(.nothing(), documents)
    }

    /// A chain from a multipart form, whose files are streamed, to a model by its DTO.
    public func build<O: DTODecodable>(
        _ input: MultipartForm.Type = MultipartForm.self, to output: O.Type = O.self
    ) -> Chain<MultipartForm, O> where O.DTO.Raw == JSONDocument {
        chain(.given(), RequestEncoderNode<MultipartForm>(), read(.fromRaw), .fromDTO)
    }

    /// A chain from a multipart form, whose files are streamed, to a plain model.
    @_disfavoredOverload
    public func build<O: Decodable & Sendable>(
        _ input: MultipartForm.Type = MultipartForm.self, to output: O.Type = O.self
    ) -> Chain<MultipartForm, O> {
        chain(.given(), RequestEncoderNode<MultipartForm>(), read(.json(decoder)), .itself)
    }

    /// A chain from a multipart form to nothing but whether it went well.
    public func build(
        _ input: MultipartForm.Type = MultipartForm.self, to output: Void.Type = Void.self
    ) -> Chain<MultipartForm, Void> {
        silent(.given(), RequestEncoderNode<MultipartForm>())
    }

    /// A chain without input to the bytes of an answer.
    public func buildDataLoading(_ input: Void.Type = Void.self) -> Chain<Void, LoadedResponse> {
        chain(.nothing(), documents, loading, .itself)
    }

    /// A chain from a plain model to the bytes of an answer.
    public func buildDataLoading<I: Encodable & Sendable>(_ input: I.Type = I.self) -> Chain<I, LoadedResponse> {
        chain(.given(), models(), loading, .itself)
    }

    /// A chain without input to a file, which goes on where an earlier call broke off.
    ///
    /// - Parameter limit: the most bytes of the file.
    public func buildDownload(to destination: FileDestination, limit: Int = .max) -> Chain<Void, DownloadedFile> {
        Chain(
            wrapped(
                assembly.chain(from: request(documents), downloadingTo: destination, limit: limit), .nothing(), .itself)
        )
    }
}

extension URLChainBuilder {
    /// A chain without input to a plain model of the origin's answer or of the stored one, with its source and age.
    ///
    /// - Throws: ``Failure/Reason/invalidRequest`` where the builder was given no ``cache(_:keying:)``.
    public func buildCached<O: Decodable & Sendable>(
        _ policy: CachePolicy, to output: O.Type = O.self
    ) throws(Failure) -> Chain<Void, Sourced<O>> {
        let chain = try assembly.chain(
            from: request(documents), by: policy, bodyLimit: bodyLimit, decode: decode(.json(decoder), O.self))
        return Chain(wrapped(chain, .nothing(), .itself))
    }

    /// A chain without input to two answers, the stored one first, told apart; the second is left out when equal.
    ///
    /// - Throws: ``Failure/Reason/invalidRequest`` where the builder was given no ``cache(_:keying:)``.
    public func buildCacheThenServer<O: Decodable & Sendable>(
        to output: O.Type = O.self
    ) throws(Failure) -> Chain<Void, AnswerSequence<O>> {
        let chain = try assembly.cacheThenServer(
            from: request(documents), bodyLimit: bodyLimit, decode: decode(.json(decoder), O.self))
        return Chain(wrapped(chain, .nothing(), .itself))
    }
}

// MARK: - What the forms share

extension URLChainBuilder {
    private var documents: RequestEncoderNode<JSONDocument> {
        RequestEncoderNode<JSONDocument>(encoding: encoding, queryEncoding: queryEncoding)
    }

    private func models<Model: Encodable>() -> RequestEncoderNode<Model> {
        RequestEncoderNode<Model>(encoding: encoding, queryEncoding: queryEncoding, encoder: encoder)
    }

    private var loading: ResponseDataLoaderNode { ResponseDataLoaderNode(limit: bodyLimit) }

    private func read<O: Sendable>(_ mapping: ModelMapping<ParsedResponse, O>) -> any Node<ResponseContent, O> {
        Self.joined(loading, decode(mapping, O.self))
    }

    private func decode<O: Sendable>(
        _ mapping: ModelMapping<ParsedResponse, O>, _ output: O.Type
    ) -> any Node<LoadedResponse, O> {
        let parsing = ResponseDataParserNode(limits: jsonLimits)
        guard let envelope else { return parsing.then(DecodeNode<O>(mapping)) }
        return parsing.then(envelope).then(DecodeNode<O>(mapping))
    }

    private func request<Carried: Sendable>(
        _ encoder: RequestEncoderNode<Carried>
    ) -> any Node<Carried?, RequestDraft> {
        let encoding = MetadataConnectorNode<Carried>(metadata)
            .then(URLRequestTransformerNode<Carried> { [route] _ in try route() })
            .then(encoder)
        var half: any Node<Carried?, RequestDraft> = encoding
        if !query.isEmpty {
            half = encoding.then(URLQueryInjectorNode(encoding: queryEncoding) { [query] in query })
        }
        for node in requestNodes { half = Self.joined(half, node) }
        return half
    }

    private func chain<I: Sendable, Carried: Sendable, Received: Sendable, O: Sendable>(
        _ input: ModelMapping<I, Carried?>, _ encoder: RequestEncoderNode<Carried>,
        _ response: some Node<ResponseContent, Received>, _ output: ModelMapping<Received, O>
    ) -> Chain<I, O> {
        Chain(wrapped(assembly.chain(from: request(encoder), to: response), input, output))
    }

    private func silent<I: Sendable, Carried: Sendable>(
        _ input: ModelMapping<I, Carried?>, _ encoder: RequestEncoderNode<Carried>
    ) -> Chain<I, Void> {
        Chain(wrapped(Self.muted(assembly.chain(from: request(encoder), to: loading)), input, .itself))
    }

    private func wrapped<Inner: Node, I: Sendable, O: Sendable>(
        _ inner: Inner, _ input: ModelMapping<I, Inner.Input>, _ output: ModelMapping<Inner.Output, O>
    ) -> any Node<I, O> {
        ModelInputNode<I, O, Inner>(inner, input: input, output: output)
    }

    private static func muted<Inner: Node>(_ inner: Inner) -> any Node<Inner.Input, Void> { VoidOutputNode(inner) }

    private static func joined<First: Node, Second: Node>(
        _ first: First, _ second: Second
    ) -> any Node<First.Input, Second.Output> where First.Output == Second.Input {
        first.then(second)
    }
}

extension ModelMapping {
    /// A value that travels as it is.
    fileprivate static func given() -> ModelMapping where Target == Source? { ModelMapping { $0 } }

    /// Nothing to send: no body, not an empty one.
    fileprivate static func nothing<Carried>() -> ModelMapping where Source == Void, Target == Carried? {
        ModelMapping { _ in nil }
    }

    /// A model that travels as its DTO, in JSON.
    fileprivate static func travelling() -> ModelMapping
    where Source: DTOEncodable, Source.DTO.Raw == JSONDocument, Target == JSONDocument? {
        ModelMapping<Source, Source.DTO>.toDTO.then(.toRaw)
    }
}
