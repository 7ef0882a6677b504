// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes
package import SidingChain
package import SidingJSON
internal import SidingSynchronization

/// The parts of an answer that paging needs: header fields, number of records, and envelope values.
package struct PageAnswer: Sendable {
    package var headerFields: HTTPFields
    package var recordCount: Int
    /// The values at the envelope's paths; missing or null values are left out.
    package var envelope: [JSONPath: EnvelopeScalar]
    /// The scalars around the records, and where they are.
    package var surroundings: [(path: JSONPath, value: EnvelopeScalar)] = []
    /// The last record's value at the path of its token; nil if there is none.
    package var lastRecord: EnvelopeScalar?
    /// The URL of the answer, after redirects.
    package var url: HTTPURL?
    /// Whether one of the places of the next page is null, and no other has a value.
    package var saysNoNext = false
    /// The body of its request.
    package var requestBody: String?
    /// What the config calls the records.
    package var resource: String?
    /// How many of the listing's records so far, those of this page included, were on the page before already.
    package var repeatedCount = 0
    /// Whether it is a 304: then its body is the stored one, and header fields may be left out.
    package var isUnchanged = false
    /// Whether it is the answer to a write.
    package private(set) var isOfWrite = false
    /// Whether the answer to a write has nothing of a record; see `JSONDocument.saysOnlyHowItWent(isOfEdit:)`.
    private(set) var saysOnlyHowItWent = false
    /// The body of the write's request; nil if it has none.
    private var sent: [UInt8]?
    /// Whether header fields named this page.
    package var wasLinked = false
    /// The credentials sent with the requests: if the origin repeats them, they must not reach the store.
    package var secrets: Set<String> = []

    package init(
        headerFields: HTTPFields, recordCount: Int, envelope: [JSONPath: EnvelopeScalar],
        lastRecord: EnvelopeScalar? = nil, url: HTTPURL? = nil, secrets: Set<String> = []
    ) {
        (self.headerFields, self.recordCount, self.envelope) = (headerFields, recordCount, envelope)
        (self.lastRecord, self.url, self.secrets) = (lastRecord, url, secrets)
    }

    /// The answer to a write, for what stands around the record in it.
    ///
    /// - Parameters:
    ///   - document: the body; nil if it is not JSON.
    ///   - record: the record of the write in it; nil if it is not there.
    ///   - saysOnlyHowItWent: whether it has nothing of a record.
    ///   - body: that of the request; nil if it has none.
    package init(
        toWrite headerFields: HTTPFields, _ document: JSONDocument?, record: JSONDocument?,
        saysOnlyHowItWent: Bool = false, sent body: [UInt8]? = nil
    ) {
        self.init(headerFields: headerFields, recordCount: record == nil ? 0 : 1, envelope: [:])
        (isOfWrite, sent, self.saysOnlyHowItWent) = (true, body, saysOnlyHowItWent)
        surroundings = document.map { Envelope.surroundings(of: record, in: $0) } ?? []
    }

    /// The answer to a question for a record that is not on it.
    package init(toProbe headerFields: HTTPFields, _ document: JSONDocument, url: HTTPURL) {
        self.init(headerFields: headerFields, recordCount: 0, envelope: [:], url: url)
        surroundings = Envelope.surroundings(of: nil, in: document)
    }

    /// The target of the `Link` with `relation`, as written.
    package func link(to relation: String = "next") -> String? {
        link.flatMap { LinkHeader.target(of: relation, in: $0) }
    }

    /// Whether the request of this page has `token`: then it leads to no other page.
    package func requested(_ token: String) -> Bool {
        url?.queryParameters.contains { $0.decodedValue == token } ?? false
            || requestBody?.contains("\"\(token)\"") ?? false
    }

    /// Whether the `Link` field means a next page, but is written so that it cannot be read.
    package var isLinkUnreadable: Bool { link.map { LinkHeader.isUnreadable("next", in: $0) } ?? false }

    /// Whether there is a `Link` field, to whatever page.
    package var hasLink: Bool { link != nil }

    private var link: String? { HTTPField.Name("Link").flatMap { headerFields[$0] } }

    /// The text at `path`, if it is a non-empty string or a number.
    package func text(at path: JSONPath) -> String? {
        guard let token = token(at: path) else { return nil }
        switch token {
        case .text(let text), .number(let text): return text
        case .bool, .structure: return nil
        }
    }

    /// The pagination token at `path`: a non-empty string, a number, an array or an object, but no Boolean. 0 and -1 stand for
    /// none.
    package func token(at path: JSONPath) -> EnvelopeScalar? {
        envelope[path].flatMap { $0.isNone ? nil : $0.token }
    }

    /// Whether the request has this text as a value, so that the answer may repeat it: `GET /runs?status=failed`.
    func repeats(_ text: String) -> Bool {
        let text = text.lowercased()
        let asked = [url?.description, requestBody].compactMap { $0?.lowercased() }
        return asked.contains { asked in ["=\(text)", "/\(text)", "\"\(text)\""].contains { asked.contains($0) } }
    }

    /// The scalars in the body of the write's request, which its answer may repeat.
    var sentValues: [(path: JSONPath, value: EnvelopeScalar)] {
        guard let sent, let document = try? JSONDocument(sent.withoutByteOrderMark) else { return [] }
        return Envelope.surroundings(of: nil, in: document)
    }

    /// The truth of the value at `path`, in any spelling (`true`, "yes", 1); nil if it is missing, or neither true nor false.
    package func truth(at path: JSONPath) -> Bool? { envelope[path]?.truth(orNumber: true) }

    /// The URL reference at `path`, or at the first usual place that holds one.
    package func nextReference(at path: JSONPath?) -> String? {
        if let path { return string(at: path).flatMap { Self.isTemplate($0) ? nil : $0 } }
        return EnvelopePlaces.nextURLs.lazy.compactMap(string).first(where: Self.isReference)
    }

    /// The text at `path`, if it is a string that is not blank.
    package func string(at path: JSONPath) -> String? {
        if case .text(let text)? = envelope[path], !text.isBlank { text } else { nil }
    }

    /// Whether the text is a URL reference, not a token: a URL, an absolute path, or a path with a query (`items?page=2`).
    package static func isReference(_ text: String) -> Bool {
        if isTemplate(text) { return false }
        if ["/", "?", "https://", "http://"].contains(where: text.hasPrefix) { return true }
        let parts = text.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let equals = parts[1].firstIndex(of: UInt8(ascii: "=")) else { return false }
        let (path, name) = (parts[0], parts[1][..<equals])
        return !path.isEmpty && path.allSatisfy { $0 == UInt8(ascii: "/") || PercentCoding.isUnreserved($0) }
            && !name.isEmpty && name.allSatisfy { "%[]".utf8.contains($0) || PercentCoding.isUnreserved($0) }
            && !text.utf8.contains(UInt8(ascii: "\n"))
    }

    /// Whether the text is a URI template (RFC 6570), such as `/items{?page}`, which names no page.
    private static func isTemplate(_ text: String) -> Bool {
        text.utf8.contains(UInt8(ascii: "{")) && text.contains(/\{[?&\/.;#+]?[A-Za-z0-9_,.*:%]+\}/)
    }
}

/// The usual places where APIs name the next page.
package enum EnvelopePlaces {
    /// Places of a next URL, in the order of lookup.
    package static let nextURLs: [JSONPath] = [
        ["next"], ["links", "next"], ["_links", "next"], ["paging", "next"],
        ["pagination", "next"], ["@odata.nextLink"], ["next_page"], ["next_url"], ["nextLink"],
    ].map { JSONPath(members: $0) }

    /// Whether a page has null at one of the `places` of the next page, and nothing else at the others.
    ///
    /// - Parameter values: what is at `paths`.
    static func saysNoNext(
        _ paths: [JSONPath], _ values: [EnvelopeValue?], at places: [JSONPath]
    ) -> Bool {
        let found = zip(paths, values).filter { places.contains($0.0) }.compactMap(\.1)
        return !found.isEmpty && found.allSatisfy { $0.kind == .null }
    }

    /// Places of a cursor, and the query parameter that usually carries it back.
    package static let cursors: [(path: JSONPath, parameter: String)] = [
        (["next_cursor"], "cursor"), (["nextCursor"], "cursor"), (["meta", "next_cursor"], "cursor"),
        (["response_metadata", "next_cursor"], "cursor"), (["pagination", "next_cursor"], "cursor"),
        (["next_page_token"], "page_token"), (["nextPageToken"], "pageToken"), (["paging", "next", "after"], "after"),
        (["paging", "cursors", "after"], "after"), (["meta", "after_cursor"], "page[after]"),
        (["continuationToken"], "continuationToken"),
    ].map { (JSONPath(members: $0), $1) }

    /// Header fields that name the next page.
    package static let nextHeaders = ["Next-Page", "X-Next-Page"].compactMap { HTTPField.Name($0) }
}

extension EnvelopeScalar {
    /// Whether it is 0 or -1, by which origins say that there is no next page.
    package var isNone: Bool {
        switch self {
        case .text(let text), .number(let text): text == "0" || text == "-1"
        case .bool, .structure: false
        }
    }
}
