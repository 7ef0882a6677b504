public import SidingJSON

/// How the input of a chain travels: the first half of ``URLChainBuilder/build(_:_:)``.
///
/// The short forms of `build` choose one by the input's type. Say one where the type allows several, or to mix forms.
public struct RequestCoding<Input: Sendable>: Sendable {
    let writer: any RequestWriter<Input>

    init<Carried: Sendable>(
        _ mapping: ModelMapping<Input, Carried?>,
        encoder: @escaping @Sendable (URLChainBuilder) -> RequestEncoderNode<Carried>
    ) {
        writer = MappedRequestWriter(mapping: mapping, makeEncoder: encoder)
    }
}

extension RequestCoding where Input: Encodable {
    /// A plain model, written as ``URLChainBuilder/encode(as:)`` says: as JSON unless it says otherwise.
    public static var json: RequestCoding {
        RequestCoding<Input>(.given) { builder in
            RequestEncoderNode<Input>(
                encoding: builder.encoding, queryEncoding: builder.queryEncoding, encoder: builder.encoder)
        }
    }
}

extension RequestCoding where Input: DTOEncodable, Input.DTO.Raw == JSONDocument {
    /// A model that travels as its DTO, written as ``URLChainBuilder/encode(as:)`` says.
    public static var dto: RequestCoding {
        RequestCoding<Input>(ModelMapping<Input, Input.DTO>.toDTO.then(.toRaw)) { $0.documents }
    }
}

extension RequestCoding where Input: RawEncodable, Input.Raw == JSONDocument {
    /// A value that travels as its raw form, written as ``URLChainBuilder/encode(as:)`` says. As JSON, a `JSONDocument`
    /// goes out byte for byte as it stands.
    public static var raw: RequestCoding { RequestCoding<Input>(.toRaw) { $0.documents } }
}

extension RequestCoding where Input: RawBody {
    /// A value that gives its bytes itself.
    public static var bytes: RequestCoding { RequestCoding<Input>(.given) { _ in RequestEncoderNode<Input>.raw() } }
}

extension RequestCoding where Input == MultipartForm {
    /// A multipart form, whose files are streamed.
    public static var form: RequestCoding {
        RequestCoding<MultipartForm>(.given) { _ in RequestEncoderNode<MultipartForm>() }
    }
}

extension RequestCoding where Input == Void {
    /// No input: no body is sent, not an empty one.
    public static var none: RequestCoding {
        RequestCoding<Void>(ModelMapping<Void, JSONDocument?> { _ in nil }) { $0.documents }
    }
}

/// Writes the input of a chain into its request; what travels in between stays the writer's own.
protocol RequestWriter<Input>: Sendable {
    associatedtype Input: Sendable
    associatedtype Carried: Sendable

    /// From the input to what is encoded; nil sends no body.
    var mapping: ModelMapping<Input, Carried?> { get }

    func encoder(for builder: URLChainBuilder) -> RequestEncoderNode<Carried>
}

private struct MappedRequestWriter<Input: Sendable, Carried: Sendable>: RequestWriter {
    let mapping: ModelMapping<Input, Carried?>
    let makeEncoder: @Sendable (URLChainBuilder) -> RequestEncoderNode<Carried>

    func encoder(for builder: URLChainBuilder) -> RequestEncoderNode<Carried> { makeEncoder(builder) }
}

extension ModelMapping where Target == Source? {
    /// A value that travels as it is.
    fileprivate static var given: ModelMapping { ModelMapping { $0 } }
}

extension URLChainBuilder {
    /// Writes documents, which DTOs and raw forms have become.
    fileprivate var documents: RequestEncoderNode<JSONDocument> {
        RequestEncoderNode<JSONDocument>(encoding: encoding, queryEncoding: queryEncoding)
    }
}
