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

extension RequestCoding where Input == MultipartForm {
    /// A multipart form, whose files are streamed.
    public static var form: RequestCoding {
        RequestCoding<MultipartForm>(.given) { _ in RequestEncoderNode<MultipartForm>() }
    }
}

extension RequestCoding where Input == Void {
    /// No input: no body is sent, not even an empty one.
    public static var none: RequestCoding {
        RequestCoding<Void>(ModelMapping<Void, JSONDocument?> { _ in nil }) { $0.documents }
    }
}

/// Encodes the input of a chain into its request, by way of a private intermediate type.
protocol RequestWriter<Input>: Sendable {
    associatedtype Input: Sendable
    associatedtype Carried: Sendable

    /// From the input to the value that is encoded; nil sends no body.
    var mapping: ModelMapping<Input, Carried?> { get }

    func encoder(for builder: URLChainBuilder) -> RequestEncoderNode<Carried>
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
