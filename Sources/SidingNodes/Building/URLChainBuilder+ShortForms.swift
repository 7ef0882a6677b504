// SPDX-License-Identifier: Apache-2.0
public import SidingChain
public import SidingJSON

// MARK: - Short forms with a DTO at one end

extension URLChainBuilder {
    /// A chain from a model, by its DTO, to a plain model.
    @_disfavoredOverload
    public func build<I: DTOEncodable, O: Decodable & Sendable>(
        _ input: I.Type = I.self, to output: O.Type = O.self
    ) -> Chain<I, O> where I.DTO.Raw == JSONDocument {
        build(.dto, .json)
    }

    /// A chain from a model that is plain, too, by its DTO to a plain model.
    @_disfavoredOverload
    public func build<I: DTOEncodable & Encodable, O: Decodable & Sendable>(
        _ input: I.Type = I.self, to output: O.Type = O.self
    ) -> Chain<I, O> where I.DTO.Raw == JSONDocument {
        build(.dto, .json)
    }

    /// A chain from a plain model to a model, by its DTO.
    @_disfavoredOverload
    public func build<I: Encodable & Sendable, O: DTODecodable>(
        _ input: I.Type = I.self, to output: O.Type = O.self
    ) -> Chain<I, O> where O.DTO.Raw == JSONDocument {
        build(.json, .dto)
    }

    /// A chain from a plain model to a model that is plain, too, by its DTO.
    @_disfavoredOverload
    public func build<I: Encodable & Sendable, O: DTODecodable & Decodable>(
        _ input: I.Type = I.self, to output: O.Type = O.self
    ) -> Chain<I, O> where O.DTO.Raw == JSONDocument {
        build(.json, .dto)
    }
}

// MARK: - Short forms to bytes, files and stored responses

extension URLChainBuilder {
    /// A chain without input to the bytes of a response.
    public func buildDataLoading(_ input: Void.Type = Void.self) -> Chain<Void, LoadedResponse> {
        build(.none, .bytes)
    }

    /// A chain from a model, by its DTO, to the bytes of a response.
    public func buildDataLoading<I: DTOEncodable>(_ input: I.Type = I.self) -> Chain<I, LoadedResponse>
    where I.DTO.Raw == JSONDocument {
        build(.dto, .bytes)
    }

    /// A chain from a multipart form, or a model whose DTO is one, to the bytes of a response.
    public func buildDataLoading<I: DTOEncodable>(_ input: I.Type = I.self) -> Chain<I, LoadedResponse>
    where I.DTO.Raw == MultipartForm {
        build(.form, .bytes)
    }

    /// A chain from a plain model to the bytes of a response.
    @_disfavoredOverload
    public func buildDataLoading<I: Encodable & Sendable>(_ input: I.Type = I.self) -> Chain<I, LoadedResponse> {
        build(.json, .bytes)
    }

    /// A chain without input that downloads to a file and resumes where an earlier call broke off.
    ///
    /// - Parameters:
    ///   - destination: the file.
    ///   - limit: the maximum size of the file in bytes.
    public func buildDownload(to destination: FileDestination, limit: Int = .max) -> Chain<Void, DownloadedFile> {
        buildDownload(.none, to: destination, limit: limit)
    }

    /// A chain without input to a model, by its DTO, of the origin's or the stored response, with its source and age.
    ///
    /// - Throws: `Failure.Reason.invalidRequest` if the builder has no ``cache(_:keying:)``.
    public func buildCached<O: DTODecodable>(
        _ policy: CachePolicy, to output: O.Type = O.self
    ) throws(Failure) -> Chain<Void, ChainResponse<O>> where O.DTO.Raw == JSONDocument {
        try buildCached(policy, .none, .dto)
    }

    /// A chain without input to a plain model of the origin's or the stored response, with its source and age.
    ///
    /// - Throws: `Failure.Reason.invalidRequest` if the builder has no ``cache(_:keying:)``.
    @_disfavoredOverload
    public func buildCached<O: Decodable & Sendable>(
        _ policy: CachePolicy, to output: O.Type = O.self
    ) throws(Failure) -> Chain<Void, ChainResponse<O>> {
        try buildCached(policy, .none, .json)
    }

    /// A chain without input to two responses, the stored one first; the second is omitted if it is equal.
    ///
    /// - Throws: `Failure.Reason.invalidRequest` if the builder has no ``cache(_:keying:)``.
    @_disfavoredOverload
    public func buildCacheThenServer<O: Decodable & Sendable>(
        to output: O.Type = O.self
    ) throws(Failure) -> Chain<Void, ResponseSequence<O>> {
        try buildCacheThenServer(.none, .json)
    }

    /// A chain without input to two models, by their DTO: the stored response first; the second is omitted if it is equal.
    ///
    /// - Throws: `Failure.Reason.invalidRequest` if the builder has no ``cache(_:keying:)``.
    public func buildCacheThenServer<O: DTODecodable>(
        to output: O.Type = O.self
    ) throws(Failure) -> Chain<Void, ResponseSequence<O>> where O.DTO.Raw == JSONDocument {
        try buildCacheThenServer(.none, .dto)
    }
}
