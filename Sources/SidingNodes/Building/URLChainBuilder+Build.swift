// SPDX-License-Identifier: Apache-2.0
public import SidingChain
public import SidingJSON

extension URLChainBuilder {
    /// A chain with the given codings for input and output; every other form calls this one.
    ///
    /// ```swift
    /// let create: Chain<Draft, Issue> = builder.route(.post, "/issues", under: base).build(.json, .dto)
    /// ```
    public func build<I: Sendable, O: Sendable>(
        _ input: RequestCoding<I>, _ output: ResponseCoding<O>
    ) -> Chain<I, O> {
        Chain(typed(input.writer, output.reader))
    }

    /// A chain that downloads to a file and resumes where an earlier call broke off.
    ///
    /// - Parameters:
    ///   - input: how the request is made.
    ///   - destination: the file.
    ///   - limit: the maximum size of the file in bytes.
    public func buildDownload<I: Sendable>(
        _ input: RequestCoding<I>, to destination: FileDestination, limit: Int = .max
    ) -> Chain<I, DownloadedFile> {
        Chain(downloading(input.writer, destination, limit))
    }

    /// A chain to the response of the origin or the cache, with its source and age.
    ///
    /// - Throws: `Failure.Reason.invalidRequest` if the builder has no ``cache(_:keying:)``.
    public func buildCached<I: Sendable, O: Sendable>(
        _ policy: CachePolicy, _ input: RequestCoding<I>, _ output: ResponseCoding<O>
    ) throws(Failure) -> Chain<I, ChainResponse<O>> {
        Chain(try cached(policy, input.writer, output.reader))
    }

    /// A chain to two responses, the stored one first; the second is omitted if it is equal.
    ///
    /// - Throws: `Failure.Reason.invalidRequest` if the builder has no ``cache(_:keying:)``.
    public func buildCacheThenServer<I: Sendable, O: Sendable>(
        _ input: RequestCoding<I>, _ output: ResponseCoding<O>
    ) throws(Failure) -> Chain<I, ResponseSequence<O>> {
        Chain(try doubled(input.writer, output.reader))
    }
}

// MARK: - The short forms

// A model that is its own DTO needs nothing but `Codable`. Where a type is both, its DTO is what travels: the plain forms
// are the disfavoured ones.
extension URLChainBuilder {
    /// A chain from a model to a model, each by its DTO.
    public func build<I: DTOEncodable, O: DTODecodable>(
        _ input: I.Type = I.self, to output: O.Type = O.self
    ) -> Chain<I, O> where I.DTO.Raw == JSONDocument, O.DTO.Raw == JSONDocument {
        build(.dto, .dto)
    }

    /// A chain from a plain model to a plain model.
    @_disfavoredOverload
    public func build<I: Encodable & Sendable, O: Decodable & Sendable>(
        _ input: I.Type = I.self, to output: O.Type = O.self
    ) -> Chain<I, O> {
        build(.json, .json)
    }

    /// A chain without input to a model, by its DTO. No body is sent.
    public func build<O: DTODecodable>(_ input: Void.Type = Void.self, to output: O.Type = O.self) -> Chain<Void, O>
    where O.DTO.Raw == JSONDocument {
        build(.none, .dto)
    }

    /// A chain without input to a plain model. No body is sent.
    @_disfavoredOverload
    public func build<O: Decodable & Sendable>(
        _ input: Void.Type = Void.self, to output: O.Type = O.self
    ) -> Chain<Void, O> {
        build(.none, .json)
    }

    /// A chain from a model, by its DTO, without output.
    public func build<I: DTOEncodable>(_ input: I.Type = I.self, to output: Void.Type = Void.self) -> Chain<I, Void>
    where I.DTO.Raw == JSONDocument {
        build(.dto, .none)
    }

    /// A chain from a plain model without output.
    @_disfavoredOverload
    public func build<I: Encodable & Sendable>(
        _ input: I.Type = I.self, to output: Void.Type = Void.self
    ) -> Chain<I, Void> {
        build(.json, .none)
    }

    /// A chain without input and output. No body is sent.
    public func build(_ input: Void.Type = Void.self, to output: Void.Type = Void.self) -> Chain<Void, Void> {
        build(.none, .none)
    }

    /// A chain from a multipart form, or a model whose DTO is one, to a model by its DTO. Files are streamed.
    public func build<I: DTOEncodable, O: DTODecodable>(
        _ input: I.Type = I.self, to output: O.Type = O.self
    ) -> Chain<I, O> where I.DTO.Raw == MultipartForm, O.DTO.Raw == JSONDocument {
        build(.form, .dto)
    }

    /// A chain from a multipart form, or a model whose DTO is one, to a plain model. Files are streamed.
    @_disfavoredOverload
    public func build<I: DTOEncodable, O: Decodable & Sendable>(
        _ input: I.Type = I.self, to output: O.Type = O.self
    ) -> Chain<I, O> where I.DTO.Raw == MultipartForm {
        build(.form, .json)
    }

    /// A chain from a multipart form, or a model whose DTO is one, without output.
    public func build<I: DTOEncodable>(_ input: I.Type = I.self, to output: Void.Type = Void.self) -> Chain<I, Void>
    where I.DTO.Raw == MultipartForm {
        build(.form, .none)
    }
}

// MARK: - Messages of the compiler

extension URLChainBuilder {
    /// Says why there is no form for two types. Without it the compiler names a form that does not fit.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message: """
            the input must be Encodable, DTOEncodable or Void, and the output Decodable, DTODecodable or Void; \
            for other forms say both, as in build(.bytes, .raw)
            """
    )
    public func build<I: Sendable, O: Sendable>(
        _ input: I.Type = I.self, to output: O.Type = O.self
    ) -> Chain<I, O> {
        Chain(MapNode { (_: I) in throw Failure(.internalFault, phase: .notSent) })
    }
}

// MARK: - Shared by all forms

extension URLChainBuilder {
    private func typed<Writer: RequestWriter, Reader: ResponseReader>(
        _ writer: Writer, _ reader: Reader
    ) -> any Node<Writer.Input, Reader.Output> {
        wrapped(reader.chain(from: request(writer), self), writer.mapping, reader.mapping)
    }

    private func downloading<Writer: RequestWriter>(
        _ writer: Writer, _ destination: FileDestination, _ limit: Int
    ) -> any Node<Writer.Input, DownloadedFile> {
        wrapped(
            assembly.chain(from: request(writer), downloadingTo: destination, limit: limit), writer.mapping, .itself)
    }

    private func cached<Writer: RequestWriter, Reader: ResponseReader>(
        _ policy: CachePolicy, _ writer: Writer, _ reader: Reader
    ) throws(Failure) -> any Node<Writer.Input, ChainResponse<Reader.Output>> {
        let chain = try assembly.chain(
            from: request(writer), by: policy, bodyLimit: bodyLimit, decode: reader.decode(self))
        return wrapped(chain, writer.mapping, .itself)
    }

    private func doubled<Writer: RequestWriter, Reader: ResponseReader>(
        _ writer: Writer, _ reader: Reader
    ) throws(Failure) -> any Node<Writer.Input, ResponseSequence<Reader.Output>> {
        let chain = try assembly.cacheThenServer(
            from: request(writer), bodyLimit: bodyLimit, decode: reader.decode(self))
        return wrapped(chain, writer.mapping, .itself)
    }

    private func request<Writer: RequestWriter>(_ writer: Writer) -> any Node<Writer.Carried?, RequestDraft> {
        let encoding = MetadataConnectorNode<Writer.Carried>(metadata)
            .then(URLRequestTransformerNode<Writer.Carried>(route(writer)))
            .then(writer.encoder(for: self))
        var half: any Node<Writer.Carried?, RequestDraft> = encoding
        if !query.isEmpty {
            half = encoding.then(URLQueryInjectorNode(encoding: queryEncoding) { [query] in query })
        }
        for node in requestNodes { half = joined(half, node) }
        return half
    }

    private func wrapped<Inner: Node, I: Sendable, O: Sendable>(
        _ inner: Inner, _ input: ModelMapping<I, Inner.Input>, _ output: ModelMapping<Inner.Output, O>
    ) -> any Node<I, O> {
        indicated(configured(ModelInputNode<I, O, Inner>(inner, input: input, output: output)))
    }

    private func route<Writer: RequestWriter>(_ writer: Writer) -> @Sendable (Writer.Carried?) throws -> RequestRoute {
        { [target, baseURL, fault] carried in
            if let fault { throw fault }
            return try target.route(under: baseURL, writer.parameters(of: carried))
        }
    }

    private func configured<Inner: Node>(_ chain: Inner) -> any Node<Inner.Input, Inner.Output> {
        guard executor != nil || priority != nil else { return chain }
        return ChainConfiguratorNode(chain, executor: executor, priority: priority)
    }

    private func indicated<Inner: Node>(_ chain: Inner) -> any Node<Inner.Input, Inner.Output> {
        guard let loadIndicator else { return chain }
        return LoadIndicatableNode(chain, indicator: loadIndicator)
    }
}
