// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
public import SidingJSON

/// How a chain encodes its input: the first argument of ``URLChainBuilder/build(_:_:)``.
///
/// The short forms of `build` choose one by the input's type. Specify one if the type allows several, or to mix forms.
public struct RequestCoding<Input: Sendable>: Sendable {
    let writer: any RequestWriter<Input>

    init<Carried: Sendable>(
        _ mapping: ModelMapping<Input, Carried?>,
        encoder: @escaping @Sendable (URLChainBuilder) -> RequestEncoderNode<Carried>
    ) {
        writer = MappedRequestWriter(mapping: mapping, makeEncoder: encoder)
    }

    private init(_ writer: any RequestWriter<Input>) {
        self.writer = writer
    }

    /// No body, whatever the input.
    fileprivate static var bodiless: RequestCoding {
        RequestCoding(ModelMapping<Input, JSONDocument?> { _ in nil }) { $0.documents }
    }
}

extension RequestCoding {
    /// An input that fills the `{name}` placeholders of the route; no body is sent.
    ///
    /// ```swift
    /// let issue: Chain<Int, Issue> = builder.route(.get, "/issues/{id}").build(.path { ["id": "\($0)"] }, .json)
    /// ```
    /// - Parameter parameters: the values of the placeholders, which are percent-encoded. They are added to the parameters of
    ///   the route, and win over those of the same name. An error that it throws ends the call before anything is sent, and so
    ///   does a placeholder without a value, or a value without a placeholder.
    public static func path(_ parameters: @escaping @Sendable (Input) throws -> [String: String]) -> RequestCoding {
        bodiless.path(parameters)
    }

    /// This coding of an input that also fills the `{name}` placeholders of the route, as `.path` alone does without a body:
    /// `build(.json.path { ["id": "\($0.id)"] }, .json)`.
    public func path(_ parameters: @escaping @Sendable (Input) throws -> [String: String]) -> RequestCoding {
        RequestCoding(Self.adding(parameters, to: writer))
    }

    private static func adding<Writer: RequestWriter>(
        _ parameters: @escaping @Sendable (Writer.Input) throws -> [String: String], to writer: Writer
    ) -> any RequestWriter<Writer.Input> {
        PathRequestWriter(body: writer, parameters: parameters)
    }
}

extension RequestCoding where Input: Encodable {
    /// A plain model, encoded as set by ``URLChainBuilder/encode(as:)``; JSON by default.
    public static var json: RequestCoding {
        RequestCoding<Input>(.given) { builder in
            RequestEncoderNode<Input>(
                encoding: builder.encoding, queryEncoding: builder.queryEncoding, encoder: builder.encoder)
        }
    }
}

extension RequestCoding where Input: DTOEncodable, Input.DTO.Raw == JSONDocument {
    /// A model that is sent as its DTO, encoded as set by ``URLChainBuilder/encode(as:)``.
    public static var dto: RequestCoding {
        RequestCoding<Input>(ModelMapping<Input, Input.DTO>.toDTO.then(.toRaw)) { $0.documents }
    }
}

extension RequestCoding where Input: RawEncodable, Input.Raw == JSONDocument {
    /// A value that is sent as its raw form, encoded as set by ``URLChainBuilder/encode(as:)``. As JSON, a `JSONDocument` is
    /// sent byte for byte.
    public static var raw: RequestCoding { RequestCoding<Input>(.toRaw) { $0.documents } }
}

extension RequestCoding where Input: RawBody {
    /// A value that supplies its own bytes.
    public static var bytes: RequestCoding { RequestCoding<Input>(.given) { _ in RequestEncoderNode<Input>.raw() } }
}

extension RequestCoding where Input: DTOEncodable, Input.DTO.Raw == MultipartForm {
    /// A multipart form, or a model whose DTO is one. Files are streamed.
    public static var form: RequestCoding {
        RequestCoding<Input>(ModelMapping<Input, Input.DTO>.toDTO.then(.toRaw)) { _ in
            RequestEncoderNode<MultipartForm>()
        }
    }
}

extension RequestCoding where Input == Void {
    /// No input: no body is sent, not even an empty one.
    public static var none: RequestCoding { bodiless }
}

/// Encodes the input of a chain into its request, by way of a private intermediate type.
protocol RequestWriter<Input>: Sendable {
    associatedtype Input: Sendable
    associatedtype Carried: Sendable

    /// From the input to the value that is encoded; nil sends no body.
    var mapping: ModelMapping<Input, Carried?> { get }

    func encoder(for builder: URLChainBuilder) -> RequestEncoderNode<Carried>

    /// The values of the route's placeholders that come from the input.
    func parameters(of carried: Carried?) -> [String: String]
}

extension RequestWriter {
    func parameters(of carried: Carried?) -> [String: String] { [:] }
}

/// Adds the values of the route's placeholders to what `body` carries.
private struct PathRequestWriter<Body: RequestWriter>: RequestWriter {
    struct Carried: Sendable {
        let parameters: [String: String]
        let body: Body.Carried?
    }

    let body: Body
    let parameters: @Sendable (Body.Input) throws -> [String: String]

    var mapping: ModelMapping<Body.Input, Carried?> {
        ModelMapping { [body, parameters] input in
            let carried = try body.mapping.map(input)
            let values = body.parameters(of: carried).merging(try parameters(input)) { _, later in later }
            return Carried(parameters: values, body: carried)
        }
    }

    func encoder(for builder: URLChainBuilder) -> RequestEncoderNode<Carried> {
        let encoder = body.encoder(for: builder)
        return RequestEncoderNode<Carried> { (carried, draft) async throws(Failure) in
            try await encoder.encoded(carried.body, into: draft)
        }
    }

    func parameters(of carried: Carried?) -> [String: String] { carried?.parameters ?? [:] }
}

private struct MappedRequestWriter<Input: Sendable, Carried: Sendable>: RequestWriter {
    let mapping: ModelMapping<Input, Carried?>
    let makeEncoder: @Sendable (URLChainBuilder) -> RequestEncoderNode<Carried>

    func encoder(for builder: URLChainBuilder) -> RequestEncoderNode<Carried> { makeEncoder(builder) }
}

extension ModelMapping where Target == Source? {
    /// A value that is encoded directly.
    fileprivate static var given: ModelMapping { ModelMapping { $0 } }
}

extension URLChainBuilder {
    /// Encodes documents, the JSON form of DTOs and raw values.
    fileprivate var documents: RequestEncoderNode<JSONDocument> {
        RequestEncoderNode<JSONDocument>(encoding: encoding, queryEncoding: queryEncoding)
    }
}
