// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain

/// Serves a dataset as pages of JSON, and each record under its key.
///
/// Query parameters: `limit` (or another name), the position of the page, and, if configured, a `since` parameter.
public struct RecordListing: OriginRoute {
    /// The path of the listing, such as `/issues`; a record is at `/issues/KEY`.
    public var path: String
    /// The records that are served; it may be shared with ``RecordWrites``.
    public var dataset: Dataset
    /// How a page names the next one; `link` by default.
    public var paging: OriginPaging
    /// The number of records per page if the query does not specify it.
    public var pageSize: Int
    /// The query parameter for the page size.
    public var sizeParameter: String
    /// The member that holds the records; nil for an array at the root, which `nextURL` and `cursor` do not allow.
    public var envelope: String?
    /// The query parameter that omits records whose stamp is not greater; nil for none.
    public var sinceParameter: String?
    /// The validators of pages and records; both by default.
    public var validators: Validators

    /// A listing of `dataset` at `path`.
    ///
    /// - Parameter envelope: `items` by default if the paging needs a member in the body, otherwise the array is the root.
    public init(
        _ path: String, of dataset: Dataset, paging: OriginPaging = .link, pageSize: Int = 100,
        sizeParameter: String = "limit", envelope: String? = nil, sinceParameter: String? = nil,
        validators: Validators = [.etag, .lastModified]
    ) {
        self.path = path
        self.dataset = dataset
        self.paging = paging
        self.pageSize = pageSize
        self.sizeParameter = sizeParameter
        self.envelope = envelope ?? (paging.needsEnvelope ? "items" : nil)
        self.sinceParameter = sinceParameter
        self.validators = validators
    }

    /// A page, a record, or 304 if the request has its validator; nil for other paths, and for all but GET and HEAD.
    public func answer(_ request: OriginRequest) async -> OriginResponse? {
        guard request.method == "GET" || request.method == "HEAD" else { return nil }
        if request.path == path { return page(request) }
        guard request.path.hasPrefix(path + "/") else { return nil }
        let key = request.path.dropFirst(path.count + 1)
        guard !key.isEmpty, !key.contains("/"), let record = dataset[String(key)] else { return nil }
        return conditional(.json(record.json), request, changedAt: dataset.snapshot.changedAt)
    }

    private func page(_ request: OriginRequest) -> OriginResponse {
        let query = request.query
        let (all, changedAt) = dataset.snapshot
        let rows = sinceParameter.flatMap { query[$0] }.map { since in all.filter { $0.record.stamp > since } } ?? all
        let size = paging == .single ? rows.count : max(Int(query[sizeParameter] ?? "") ?? pageSize, 1)
        let start = paging.start(in: rows, query, size)
        let shown = rows.dropFirst(start).prefix(size)
        let hasMore = start + shown.count < rows.count
        let next = hasMore ? paging.next(after: shown.last?.serial ?? 0, start: start, size, request) : nil
        var response = OriginResponse.json(body(shown, next))
        if let next { paging.announce(next, in: &response.headerFields) }
        return conditional(response, request, changedAt: changedAt)
    }

    private func body(_ rows: ArraySlice<Dataset.Row>, _ next: String?) -> String {
        let array = "[" + rows.lazy.map(\.record.json).joined(separator: ",") + "]"
        guard let envelope else { return array }
        guard let member = paging.member else { return #"{"\#(envelope)":\#(array)}"# }
        let value = next.map { "\"\($0)\"" } ?? "null"
        let nested = member.reversed().reduce(value) { value, name in #"{"\#(name)":\#(value)}"# }
        return #"{"\#(envelope)":\#(array),\#(nested.dropFirst().dropLast())}"#
    }

    private func conditional(_ answer: OriginResponse, _ request: OriginRequest, changedAt: Double) -> OriginResponse {
        var response = answer
        let tag = "\"\(Fingerprint.of(answer.body))\""
        let time = HTTPDate.text(changedAt)
        if validators.contains(.etag) { response.headerFields[.eTag] = tag }
        if validators.contains(.lastModified) { response.headerFields[.lastModified] = time }
        guard isUnchanged(request, tag, time) else { return response }
        response.status = .notModified
        response.body = []
        response.headerFields[.contentType] = nil
        return response
    }

    /// `If-None-Match` takes precedence over `If-Modified-Since` (RFC 9110 §13.2.2); the tag of a compressed page matches as
    /// well.
    private func isUnchanged(_ request: OriginRequest, _ tag: String, _ time: String?) -> Bool {
        if validators.contains(.etag), let asked = request.headerFields[.ifNoneMatch] {
            let tags = asked.split(separator: ",").map { $0.drop { $0 == " " }.replacing("-gzip\"", with: "\"") }
            return tags.contains { $0 == tag || $0 == "W/\(tag)" || $0 == "*" }
        }
        return validators.contains(.lastModified) && time != nil && request.headerFields[.ifModifiedSince] == time
    }
}

extension OriginPaging {
    fileprivate var needsEnvelope: Bool { member != nil }

    fileprivate var member: [String]? {
        switch self {
        case .nextURL(let member), .cursor(let member, _): member
        case .single, .link, .cursorHeader, .page, .offset: nil
        }
    }

    /// The index of the first requested row.
    fileprivate func start(in rows: [Dataset.Row], _ query: [String: String], _ size: Int) -> Int {
        switch self {
        case .single: return 0
        case .link, .nextURL: return max((Int(query["page"] ?? "") ?? 1) - 1, 0) * size
        case .page(let name): return max((Int(query[name] ?? "") ?? 1) - 1, 0) * size
        case .offset(let name): return max(Int(query[name] ?? "") ?? 0, 0)
        case .cursor(_, let name), .cursorHeader(_, let name):
            let serial = query[name].flatMap { $0.hasPrefix("after-") ? Int($0.dropFirst(6)) : nil } ?? 0
            return rows.firstIndex { $0.serial > serial } ?? rows.count
        }
    }

    /// The URL or the token of the next page.
    fileprivate func next(after serial: Int, start: Int, _ size: Int, _ request: OriginRequest) -> String {
        switch self {
        case .cursor, .cursorHeader, .single, .page, .offset:
            return "after-\(serial)"
        case .link, .nextURL:
            let kept = request.target.dropFirst(request.path.count + 1).split(separator: "&")
                .filter { !$0.hasPrefix("page=") }
            let query = (kept + ["page=\(start / size + 2)"]).joined(separator: "&")
            let authority = HTTPField.Name("Host").flatMap { request.headerFields[$0] } ?? "127.0.0.1"
            return "http://\(authority)\(request.path)?\(query)"
        }
    }

    fileprivate func announce(_ next: String, in fields: inout HTTPFields) {
        switch self {
        case .link: if let link = HTTPField.Name("Link") { fields[link] = "<\(next)>; rel=\"next\"" }
        case .cursorHeader(let name, _): fields[name] = next
        case .single, .nextURL, .cursor, .page, .offset: break
        }
    }
}
