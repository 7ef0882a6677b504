// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
internal import HTTPTypes
public import SidingChain
public import SidingJSON

/// Encodes a model into a draft: as its body with a `Content-Type`, or into its query.
///
/// A request without a model has no body and no `Content-Type`, whatever its method. An existing `Content-Type` of the draft is
/// kept.
public struct RequestEncoderNode<Model: Sendable>: Node {
    private let encode: @Sendable (Model, RequestDraft) async throws(Failure) -> RequestDraft

    init(_ encode: @escaping @Sendable (Model, RequestDraft) async throws(Failure) -> RequestDraft) {
        self.encode = encode
    }

    /// - Throws: `Failure.Reason.invalidRequest`, not sent, if the model cannot be encoded this way; the failure names the
    ///   type and the coding path, never the value.
    public func process(
        _ input: ChainRequest<Model?>, _ context: ChainContext
    ) async throws(Failure) -> RequestDraft {
        let draft = input.with(body: EncodedBody.none)
        do {
            return try await encoded(input.body, into: draft)
        } catch {
            throw error.at(node: name, method: draft.route.method.rawValue, url: Redaction.url(draft.route.url))
        }
    }

    /// The draft with `model` in it; unchanged for none.
    func encoded(_ model: Model?, into draft: RequestDraft) async throws(Failure) -> RequestDraft {
        guard let model else { return draft }
        return try await encode(model, draft)
    }
}

extension RequestEncoderNode where Model: Encodable {
    /// An encoder of models of one type.
    ///
    /// - Parameters:
    ///   - encoding: ``BodyEncoding/raw`` requires models that are a ``RawBody``; form, query and multipart require objects.
    ///   - queryEncoding: how query, form and multipart fields are named and written.
    ///   - encoder: makes the JSON encoder of each call; keys are always sorted.
    public init(
        encoding: BodyEncoding = .json, queryEncoding: QueryEncoding = QueryEncoding(),
        encoder: (@Sendable () -> JSONEncoder)? = nil
    ) {
        self.init(
            encoding: encoding, queryEncoding: queryEncoding, encoder: encoder ?? JSONCoding.encoder, boundary: .random)
    }

    /// The same, with `boundary` making the boundaries of multipart bodies.
    package init(
        encoding: BodyEncoding = .json, queryEncoding: QueryEncoding = QueryEncoding(),
        encoder: @escaping @Sendable () -> JSONEncoder = JSONCoding.encoder, boundary: MultipartBoundary
    ) {
        let body = BodyEncoder(
            encoding: encoding, queryEncoding: queryEncoding, encoder: encoder,
            multipart: MultipartEncoder(boundary: boundary))
        self.init { (model, draft) async throws(Failure) in try await body.encode(model, into: draft) }
    }
}

extension RequestEncoderNode where Model == MultipartForm {
    /// An encoder of multipart forms.
    public init() {
        self.init(boundary: .random)
    }

    /// The same, with `boundary` making the boundaries.
    package init(boundary: MultipartBoundary) {
        let multipart = MultipartEncoder(boundary: boundary)
        self.init { (form, draft) async throws(Failure) in try await multipart.encode(form, into: draft) }
    }
}

extension RequestEncoderNode where Model: RawBody {
    /// An encoder of models that supply their own bytes and need not be `Encodable`.
    public static func raw() -> RequestEncoderNode {
        RequestEncoderNode { (model, draft) async throws(Failure) in try BodyEncoder.raw(model, into: draft) }
    }
}

extension RequestEncoderNode where Model == JSONDocument {
    /// An encoder of documents, the JSON form of DTOs. With `json` and `raw` a document is sent byte for byte.
    ///
    /// - Parameters:
    ///   - encoding: form, query and multipart require objects.
    ///   - queryEncoding: how query, form and multipart fields are named and written.
    public init(encoding: BodyEncoding = .json, queryEncoding: QueryEncoding = QueryEncoding()) {
        let body = BodyEncoder(
            encoding: encoding, queryEncoding: queryEncoding, encoder: JSONCoding.encoder,
            multipart: MultipartEncoder())
        self.init { (document, draft) async throws(Failure) in try await body.encode(document: document, into: draft) }
    }
}

extension BodyEncoder {
    fileprivate func encode(document: JSONDocument, into draft: RequestDraft) async throws(Failure) -> RequestDraft {
        switch encoding {
        case .json, .raw: return draft.with(Array(document.bytes), contentType: "application/json")
        case .formURL: return form(try members(of: document, for: "form fields"), into: draft)
        case .urlQuery: return query(try members(of: document, for: "query parameters"), into: draft)
        case .multipart:
            var form = MultipartForm()
            form.append(fields: try members(of: document, for: "form fields"), encoding: queryEncoding)
            return try await multipart.encode(form, into: draft)
        }
    }

    private func members(of document: JSONDocument, for purpose: String) throws(Failure) -> [String: QueryValue] {
        guard case .object(let members) = QueryValue(document) else {
            throw Failure(
                .invalidRequest, phase: .notSent,
                detail: "\(purpose) are made of an object, not of \(document.kind.rawValue)")
        }
        return members
    }
}
