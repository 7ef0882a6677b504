// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
internal import HTTPTypes
internal import SidingChain
internal import SidingJSON

/// How a model becomes part of a request. The caller chooses it for every method, including GET and DELETE.
public enum BodyEncoding: String, Sendable, Codable, CaseIterable {
    /// A JSON body, deterministic for the same value. The default.
    case json
    /// An `application/x-www-form-urlencoded` body; a space is `%20`, and `+` is always escaped.
    case formURL = "form_url"
    /// Parameters appended to the route's query, and no body.
    case urlQuery = "url_query"
    /// A `multipart/form-data` body (RFC 7578) with one part per field.
    case multipart
    /// The model's own bytes, see ``RawBody``.
    case raw
}

/// A model that supplies its body as bytes, without an encoder.
public protocol RawBody: Sendable {
    /// The bytes to send.
    var rawBody: [UInt8] { get throws }
    /// The media type of the bytes; nil sends no `Content-Type`.
    var contentType: String? { get }
}

extension [UInt8]: RawBody {
    public var rawBody: [UInt8] { self }
    public var contentType: String? { "application/octet-stream" }
}

extension String: RawBody {
    public var rawBody: [UInt8] { Array(utf8) }
    public var contentType: String? { "text/plain; charset=utf-8" }
}

extension Data: RawBody {
    public var rawBody: [UInt8] { [UInt8](self) }
    public var contentType: String? { "application/octet-stream" }
}

/// Implements the encodings of ``RequestEncoderNode``, one method each.
struct BodyEncoder: Sendable {
    let encoding: BodyEncoding
    let queryEncoding: QueryEncoding
    let encoder: @Sendable () -> JSONEncoder
    let multipart: MultipartEncoder

    func encode(_ model: some Encodable & Sendable, into draft: RequestDraft) async throws(Failure) -> RequestDraft {
        switch encoding {
        case .json: try json(model, into: draft)
        case .formURL: try form(model, into: draft)
        case .urlQuery: try query(model, into: draft)
        case .multipart: try await multipart.encode(fields(of: model), into: draft)
        case .raw: try raw(model, into: draft)
        }
    }

    private func json<Model: Encodable>(_ model: Model, into draft: RequestDraft) throws(Failure) -> RequestDraft {
        if let document = model as? JSONDocument {
            return draft.with(Array(document.bytes), contentType: "application/json")
        }
        let encoder = encoder()
        // Bodies are compared, and repeated byte for byte under one idempotency key.
        encoder.outputFormatting.insert(.sortedKeys)
        do {
            return draft.with([UInt8](try encoder.encode(model)), contentType: "application/json")
        } catch {
            throw Failure.unencodable(error, in: Model.self)
        }
    }

    private func form(_ model: some Encodable, into draft: RequestDraft) throws(Failure) -> RequestDraft {
        form(try QueryValueEncoder().members(of: model, for: "form fields"), into: draft)
    }

    func form(_ members: [String: QueryValue], into draft: RequestDraft) -> RequestDraft {
        draft.with(Array(queryEncoding.encode(members).utf8), contentType: "application/x-www-form-urlencoded")
    }

    private func query(_ model: some Encodable, into draft: RequestDraft) throws(Failure) -> RequestDraft {
        query(try QueryValueEncoder().members(of: model, for: "query parameters"), into: draft)
    }

    func query(_ members: [String: QueryValue], into draft: RequestDraft) -> RequestDraft {
        var draft = draft
        draft.route.url = draft.route.url.appending(encodedQuery: queryEncoding.encode(members))
        return draft
    }

    private func fields(of model: some Encodable) throws(Failure) -> MultipartForm {
        var form = MultipartForm()
        try form.append(model: model, encoding: queryEncoding)
        return form
    }

    private func raw<Model: Encodable>(_ model: Model, into draft: RequestDraft) throws(Failure) -> RequestDraft {
        guard let body = model as? any RawBody else {
            throw Failure(
                .invalidRequest, phase: .notSent,
                detail:
                    "\(Model.self) gives no bytes of its own to send raw; make it a RawBody, or encode it another way")
        }
        return try Self.raw(body, into: draft)
    }

    static func raw(_ model: some RawBody, into draft: RequestDraft) throws(Failure) -> RequestDraft {
        let bytes: [UInt8]
        do { bytes = try model.rawBody } catch { throw Failure.unencodable(error, in: type(of: model)) }
        let contentType = model.contentType
        guard contentType.map(HTTPField.isValidValue) != false else {
            throw Failure(
                .invalidRequest, phase: .notSent, detail: "the content type of \(type(of: model)) is not a field value")
        }
        return draft.with(bytes, contentType: contentType)
    }
}

extension RequestDraft {
    /// This draft with a body and its content type, unless the draft has a content type already.
    func with(_ bytes: [UInt8], contentType: String?) -> RequestDraft {
        var draft = self
        draft.body = .bytes(bytes)
        if draft.headerFields[.contentType] == nil { draft.headerFields[.contentType] = contentType }
        return draft
    }
}

extension MultipartEncoder {
    /// The draft with `form` as its body.
    func encode(_ form: MultipartForm, into draft: RequestDraft) async throws(Failure) -> RequestDraft {
        let body = try await encode(form, declaredType: draft.headerFields[.contentType])
        var draft = draft
        draft.body = body.requestBody
        draft.headerFields[.contentType] = body.contentType
        return draft
    }
}
