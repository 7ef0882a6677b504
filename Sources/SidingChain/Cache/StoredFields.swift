internal import HTTPTypes

/// Which header fields of an answer are stored, and how a 304 changes them (RFC 9111 §3.1, §3.2, §4.3.4).
enum StoredFields {
    /// Fields of the connection or of one transfer, and credentials.
    private static let dropped: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "authentication-info", "proxy-authenticate", "proxy-authentication-info", "set-cookie", "set-cookie2",
        "www-authenticate",
        // The body is stored decompressed and whole, and its age is counted on.
        "age", "content-encoding", "content-length", "content-range",
    ]

    /// The fields of an answer that are worth keeping, in their order.
    static func kept(_ fields: HTTPFields) -> HTTPFields {
        let named = fields[values: .connection].flatMap { $0.split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
        let excluded = dropped.union(named)
        return HTTPFields(fields.filter { !excluded.contains($0.name.canonicalName) })
    }

    /// The stored fields, with those of a 304 in the place of their namesakes.
    static func merged(_ stored: HTTPFields, _ update: HTTPFields) -> HTTPFields {
        // Some origins put the type of an error page on a 304; the body that it would describe is not in it.
        let update = kept(update).filter { $0.name != .contentType }
        let names = Set(update.map(\.name))
        return HTTPFields(stored.filter { !names.contains($0.name) } + update)
    }

    /// Whether a 304 with these fields speaks of `stored`: where it names a tag, it must be that tag, compared weakly as
    /// the origin did (RFC 9110 §13.1.2).
    static func confirm(_ fields: HTTPFields, _ stored: CachedHead) -> Bool {
        guard let tag = fields[.eTag], let own = stored.etag else { return true }
        return opaque(tag) == opaque(own)
    }

    private static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }
}

extension CachedResponse {
    /// The stored answer as a reply, its `Age` told (RFC 9111 §5.1).
    func reply(from url: HTTPURL, source: AnswerSource) -> Reply {
        var fields = head.headerFields
        if case .cache(let age, _, _) = source { fields[.age] = String(age.components.seconds) }
        let response = HTTPResponse(status: .init(code: head.status), headerFields: fields)
        return Reply(response: response, body: .bytes(body), url: url, source: source)
    }
}
