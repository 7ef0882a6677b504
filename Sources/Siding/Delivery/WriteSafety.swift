// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingCredentials
internal import SidingJSON

/// Refuses requests that the queue may not keep: those that are not writes, and those with credentials, which belong to the
/// source.
enum WriteSafety {
    private static let ownFields: Set<String> = [
        "connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// - Throws: ``StoreError/Kind/invalidWrite`` with the refused part, and where it belongs instead.
    static func check(_ write: WriteRequest) throws(StoreError) {
        guard WriteRequest.methods.contains(write.method) else {
            throw refusal(
                "\(PlainText.oneLine(write.method.rawValue, limit: 40)) is no write: POST, PUT, PATCH or DELETE")
        }
        try check(write.url) { CredentialNames.contain(queryName: $0) }
        for field in write.headerFields { try check(field) }
        if let key = write.key, !isWritable(key) {
            throw refusal("an idempotency key is 1 to 255 visible ASCII characters without quotes")
        }
        try check(write.probe, of: write)
        try check(body: write.body)
    }

    /// Checks an operator's replacement for parts of a write.
    static func check(_ change: WriteChange) throws(StoreError) {
        if let url = change.url { try check(url) { CredentialNames.contain(queryName: $0) } }
        for field in change.headerFields ?? [:] { try check(field) }
        try check(body: change.body)
    }

    private static func check(body: [UInt8]?) throws(StoreError) {
        guard let body, body.count > WriteRequest.bodyLimit else { return }
        throw refusal("its body has \(body.count) bytes; the queue keeps at most \(WriteRequest.bodyLimit)")
    }

    /// Checks that the body has room for the mark that the delivery probe will look for.
    static func check(_ probe: WriteProbe?, of write: WriteRequest) throws(StoreError) {
        guard let probe, !write.method.isIdempotent else { return }
        if let fault = probe.fault { throw refusal("its probe \(fault)") }
        guard probe.id != nil || !probe.path.contains(WriteDeclaration.placeholder) else {
            throw refusal("its probe needs {id}, and the record has no id yet")
        }
        guard let mark = probe.mark else { return }
        guard let body = try? JSONDocument(write.body ?? []), body.kind == .object else {
            throw refusal("its body is not a JSON object, so it cannot carry \(mark) for its probe")
        }
        if let mark = probe.mark(in: body), body.value(at: mark) != nil {
            throw refusal("its body already has a value at \(mark), where the probe needs \(probe.asked.rawValue)")
        }
    }

    /// Why a request may not go to `url`; nil at its source's origin, to which alone the source's credential may go.
    static func refusal(of url: HTTPURL, by source: Source) -> String? {
        guard url.origin != source.baseURL.origin else { return nil }
        return
            "its URL is at \(url.origin), but the source '\(source.name)' is at \(source.baseURL.origin), and its credential "
            + "is sent nowhere else"
    }

    private static func check(_ url: HTTPURL, for isSecret: (String) -> Bool) throws(StoreError) {
        guard let found = url.queryParameters.first(where: { isSecret($0.name) }) else { return }
        throw secret("the query parameter '\(PlainText.oneLine(found.name, limit: 60))'")
    }

    private static func check(_ field: HTTPField) throws(StoreError) {
        let name = field.name.canonicalName
        if ownFields.contains(name) { throw refusal("the header field '\(field.name)' is written by siding itself") }
        let value = field.value.lowercased()
        if CredentialNames.contain(fieldName: name) || value.hasPrefix("bearer ") || value.hasPrefix("basic ") {
            throw secret("the header field '\(field.name)'")
        }
    }

    /// - Throws: ``StoreError/Kind/invalidWrite`` if `write` goes to another origin, or sets the field or parameter of the source's
    ///   own credential.
    static func check(_ write: WriteRequest, to source: Source) throws(StoreError) {
        if let why = refusal(of: write.url, by: source) { throw refusal(why) }
        try check(write.url, for: source.authorization.secretQueryNames.contains)
        if let name = source.authorization.field, write.headerFields[name] != nil {
            throw secret("the header field '\(name)'")
        }
    }

    /// RFC 8941 strings hold visible ASCII; quotes and backslashes would need escapes that not every origin undoes.
    private static func isWritable(_ key: String) -> Bool {
        (1...255).contains(key.utf8.count)
            && key.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
    }

    private static func secret(_ what: String) -> StoreError {
        refusal(
            "\(what) looks like a credential, and the queue keeps none: put it into the source's `auth:`, which is read "
                + "again each time the request is sent")
    }

    private static func refusal(_ why: String) -> StoreError { StoreError(.invalidWrite, why) }
}
