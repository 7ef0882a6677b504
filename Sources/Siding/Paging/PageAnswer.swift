internal import HTTPTypes
internal import SidingChain
internal import SidingJSON

/// The parts of an answer that paging needs: header fields, number of records, and envelope values.
struct PageAnswer: Sendable {
    var headerFields: HTTPFields
    var recordCount: Int
    /// The values at the envelope's paths; missing or null values are left out.
    var envelope: [JSONPath: EnvelopeScalar]
    /// The scalars around the records, and where they are.
    var surroundings: [(path: JSONPath, value: EnvelopeScalar)] = []
    /// The last record's value at the path of its token; nil if there is none.
    var lastRecord: EnvelopeScalar?
    /// The URL of the answer, after redirects.
    var url: HTTPURL?
    /// The credentials sent with the requests: if the origin repeats them, they must not reach the store.
    var secrets: Set<String> = []

    func linkTarget() -> String? { link.flatMap { LinkHeader.target(of: "next", in: $0) } }

    /// Whether the `Link` field means a next page, but is written so that it cannot be read.
    var isLinkUnreadable: Bool { link.map { LinkHeader.isUnreadable("next", in: $0) } ?? false }

    private var link: String? { HTTPField.Name("Link").flatMap { headerFields[$0] } }

    /// The text at `path`, if it is a non-empty string or a number.
    func text(at path: JSONPath) -> String? {
        guard let token = token(at: path) else { return nil }
        switch token {
        case .text(let text), .number(let text): return text
        case .bool, .structure: return nil
        }
    }

    /// The pagination token at `path`: a non-empty string, a number, an array or an object, but no Boolean.
    func token(at path: JSONPath) -> EnvelopeScalar? { envelope[path].flatMap(\.token) }

    func isFalse(at path: JSONPath) -> Bool { envelope[path] == .bool(false) }

    func isTrue(at path: JSONPath) -> Bool { envelope[path] == .bool(true) }

    /// The URL reference at `path`, or at the first usual place that holds one.
    func nextReference(at path: JSONPath?) -> String? {
        if let path { return string(at: path) }
        return EnvelopePlaces.nextURLs.lazy.compactMap(string).first(where: Self.isReference)
    }

    private func string(at path: JSONPath) -> String? {
        if case .text(let text)? = envelope[path], !text.isEmpty { text } else { nil }
    }

    /// Detects the paging from the first page, in the order that ``Paging/automatic`` documents.
    ///
    /// - Parameter hasBody: whether the request had a JSON body, so that a cursor goes back into it.
    func detectPaging(hasBody: Bool = false) -> Paging {
        if linkTarget() != nil { return .linkHeader }
        if let path = EnvelopePlaces.nextURLs.first(where: { string(at: $0).map(Self.isReference) ?? false }) {
            return .nextURL(path)
        }
        if let name = EnvelopePlaces.nextHeaders.first(where: { !(headerFields[$0] ?? "").isEmpty }) {
            return .nextHeader(name)
        }
        if let cursor = EnvelopePlaces.cursors.first(where: { text(at: $0.path) != nil }) {
            let isPlain = !cursor.parameter.contains("[")
            return .cursor(
                cursor.path,
                parameter: hasBody && isPlain ? .body(JSONPath(member: cursor.parameter)) : .query(cursor.parameter))
        }
        return .none
    }

    /// Whether the text is a URL reference, not a token: a URL, an absolute path, or a path with a query (`items?page=2`).
    static func isReference(_ text: String) -> Bool {
        if ["/", "?", "https://", "http://"].contains(where: text.hasPrefix) { return true }
        return text.wholeMatch(of: /[A-Za-z0-9._~\/-]+\?[A-Za-z0-9._~%\[\]-]+=.*/) != nil
    }
}

/// A value of the envelope.
enum EnvelopeScalar: Sendable, Hashable {
    /// The decoded text of a string.
    case text(String)
    /// The digits of a number, unchanged.
    case number(String)
    case bool(Bool)
    /// An array or object, unchanged.
    case structure(JSONDocument)

    /// The value, if it can be a pagination token.
    var token: EnvelopeScalar? {
        switch self {
        case .text(let text): text.isEmpty ? nil : self
        case .number, .structure: self
        case .bool: nil
        }
    }

    /// The URL of an object that names one, else the value; nil if that URL is null.
    fileprivate var reference: EnvelopeScalar? {
        guard case .structure(let value) = self, let members = value.members,
            let url = members.first(where: { ["href", "url", "uri", "link"].contains($0.name) })?.value
        else { return self }
        if url.kind == .null { return nil }
        return url.string.map(EnvelopeScalar.text) ?? self
    }

    /// - Returns: nil for null.
    /// - Throws: a contract failure if no request can repeat the value, such as half of a surrogate pair.
    init?(_ value: EnvelopeValue, in page: UnsafeRawBufferPointer) throws(Failure) {
        switch value.kind {
        case .string:
            guard let text = value.string(in: page) else {
                throw Failure(
                    .contract, phase: .answered, detail: "the way to the next page holds half of a surrogate pair")
            }
            self = .text(text)
        case .number: self = .number(String(decoding: page[value.range], as: UTF8.self))
        case .true: self = .bool(true)
        case .false: self = .bool(false)
        case .object, .array:
            do throws(DocumentFault) { self = .structure(try JSONDocument(Array(page[value.range]))) } catch {
                throw Failure(.contract, phase: .answered, detail: "the way to the next page: \(error)")
            }
        case .null: return nil
        }
    }
}

/// Decodes the envelope values that paging needs.
enum Envelope {
    /// - Parameter token: the declared path of a token: a value that a request can repeat. Elsewhere an object with a URL
    ///   (`{"href": "…"}`) counts as that URL.
    static func values(
        _ values: [EnvelopeValue?], _ paths: [JSONPath], tokenAt token: JSONPath?, _ bytes: [UInt8]
    ) throws(Failure) -> [JSONPath: EnvelopeScalar] {
        try bytes.withUnsafeBufferPointer { (page) throws(Failure) -> [JSONPath: EnvelopeScalar] in
            let page = UnsafeRawBufferPointer(page)
            var found: [JSONPath: EnvelopeScalar] = [:]
            for (path, value) in zip(paths, values) {
                guard let value else { continue }
                if path == token {
                    found[path] = try EnvelopeScalar(value, in: page)
                } else {
                    found[path] = (try? EnvelopeScalar(value, in: page)).flatMap(\.reference)
                }
            }
            return found
        }
    }

    /// The scalars around the records.
    static func surroundings(
        _ values: [PageContents.Surrounding], _ bytes: [UInt8]
    ) -> [(path: JSONPath, value: EnvelopeScalar)] {
        bytes.withUnsafeBytes { page in
            values.compactMap { value in
                (try? EnvelopeScalar(value.value, in: page)).map { (value.path, $0) }
            }
        }
    }

    /// The value at `path` of `record`.
    static func value(
        at path: JSONPath, of record: RecordSlice, in bytes: [UInt8]
    ) throws(Failure) -> EnvelopeScalar? {
        try bytes.withUnsafeBufferPointer { (page) throws(Failure) -> EnvelopeScalar? in
            let body = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(page)[record.range])
            guard let value = JSONMembers.value(at: path, in: body) else { return nil }
            return try EnvelopeScalar(value, in: body)
        }
    }
}

/// The usual places where APIs name the next page.
enum EnvelopePlaces {
    /// Places of a next URL, in the order of lookup.
    static let nextURLs: [JSONPath] = [
        ["next"], ["links", "next"], ["_links", "next"], ["paging", "next"],
        ["pagination", "next"], ["@odata.nextLink"], ["next_page"], ["next_url"], ["nextLink"],
    ].map { JSONPath(members: $0) }

    /// Places of a cursor, and the query parameter that usually carries it back.
    static let cursors: [(path: JSONPath, parameter: String)] = [
        (["next_cursor"], "cursor"), (["nextCursor"], "cursor"), (["meta", "next_cursor"], "cursor"),
        (["response_metadata", "next_cursor"], "cursor"), (["pagination", "next_cursor"], "cursor"),
        (["next_page_token"], "page_token"), (["nextPageToken"], "pageToken"), (["paging", "next", "after"], "after"),
        (["paging", "cursors", "after"], "after"), (["meta", "after_cursor"], "page[after]"),
        (["continuationToken"], "continuationToken"),
    ].map { (JSONPath(members: $0), $1) }

    /// Header fields that name the next page.
    static let nextHeaders = ["Next-Page", "X-Next-Page"].compactMap { HTTPField.Name($0) }
}
