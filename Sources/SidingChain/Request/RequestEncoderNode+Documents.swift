internal import HTTPTypes
public import SidingJSON

extension RequestEncoderNode where Model == JSONDocument {
    /// An encoder of documents, which a DTO has become. As JSON, and raw, a document goes out byte for byte as it stands.
    ///
    /// - Parameters:
    ///   - encoding: form, query and multipart want objects.
    ///   - queryEncoding: how query, form and multipart fields are named and written.
    ///   - boundary: where the boundaries of multipart bodies come from.
    public init(
        encoding: BodyEncoding = .json, queryEncoding: QueryEncoding = QueryEncoding(),
        boundary: MultipartBoundary = .random
    ) {
        let body = BodyEncoder(
            encoding: encoding, queryEncoding: queryEncoding, encoder: JSONCoding.encoder,
            multipart: MultipartEncoder(boundary: boundary))
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

extension QueryValue {
    /// The value of a document. A number that no `Int64` and no `Double` holds exactly stays as its digits.
    init(_ document: JSONDocument) {
        if let elements = document.elements {
            self = .array(elements.map { QueryValue($0) })
        } else if let members = document.members {
            self = .object(Dictionary(members.map { ($0.name, QueryValue($0.value)) }) { _, later in later })
        } else if let text = document.string {
            self = .string(text)
        } else if let digits = document.digits {
            self = Int64(digits).map { .int($0) } ?? .string(digits)
        } else {
            self = document.bool.map { .bool($0) } ?? .null
        }
    }
}
