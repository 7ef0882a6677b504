// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes
internal import SidingChain
internal import SidingSynchronization

/// Removes secrets from a tape; give ``RecordingTransport`` and ``ReplayingTransport`` the same scrubber.
///
/// These values are always replaced by `scrubbed`: header fields that carry credentials; query parameters with names such as
/// `access_token` in form bodies and in URLs anywhere, including header fields such as `Link` and texts of failures; user
/// information in URLs; texts and numbers of JSON bodies with such member names. Only selected request header fields are kept.
/// Use `body` to remove other secrets from bodies; request bodies of replayed calls pass through it too, before they are
/// compared.
public struct TapeScrubber: Sendable {
    /// Whether a body belongs to a request or a response.
    public enum Side: Sendable {
        /// The body of a request.
        case request
        /// The body of a response.
        case answer
    }

    static let mark = "scrubbed"

    private let headerNames: Set<String>
    private let queryNames: Set<String>
    private let requestFields: Set<String>
    private let body: @Sendable ([UInt8], Side) -> [UInt8]

    /// - Parameters:
    ///   - headerNames: header fields with secret values, in addition to the well-known ones.
    ///   - queryNames: query parameters with secret values, in addition to the well-known ones; case-insensitive.
    ///   - requestFields: the request header fields that are kept.
    ///   - body: removes further secrets from a body; unchanged by default.
    public init(
        headerNames: Set<HTTPField.Name> = [], queryNames: Set<String> = [],
        requestFields: Set<HTTPField.Name> = TapeScrubber.keptRequestFields,
        body: @escaping @Sendable ([UInt8], Side) -> [UInt8] = { bytes, _ in bytes }
    ) {
        self.headerNames = Redaction.secretHeaderNames.union(headerNames.map(\.canonicalName))
        self.queryNames = Set(queryNames.map { $0.lowercased() })
        self.requestFields = Set(requestFields.map(\.canonicalName))
        self.body = body
    }

    /// The request header fields that are kept by default: none that identifies anyone.
    public static let keptRequestFields: Set<HTTPField.Name> = [
        .accept, .acceptLanguage, .contentType, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange,
        .range,
    ]

    func request(_ request: HTTPRequest, body bytes: [UInt8]?, isCut: Bool) -> Tape.Request {
        let kept = request.headerFields.filter { requestFields.contains($0.name.canonicalName) }
        let url = "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "/")"
        let isForm = request.headerFields[.contentType]?.lowercased().hasPrefix("application/x-www-form-urlencoded")
        return Tape.Request(
            method: request.method.rawValue, url: text(url), headerFields: fields(HTTPFields(kept)),
            body: bytes.map { bytes in
                let scrubbed = body(JSONSecrets.hidden(in: bytes, by: Self.mark), .request)
                let shown = isForm == true ? form(scrubbed) : scrubbed
                return Tape.Body(shown, isCut: isCut)
            })
    }

    /// `answer` without its secrets, with its length adjusted.
    func answer(_ answer: Tape.Answer) -> Tape.Answer {
        var scrubbed = answer
        scrubbed.body.bytes = body(JSONSecrets.hidden(in: answer.body.bytes, by: Self.mark), .answer)
        scrubbed.headerFields = fields(answer.headerFields)
        if scrubbed.body.bytes.count != answer.body.bytes.count, answer.length == answer.body.bytes.count {
            scrubbed.length = scrubbed.body.bytes.count
            if answer.headerFields[.contentLength] != nil {
                scrubbed.headerFields[.contentLength] = "\(scrubbed.body.bytes.count)"
            }
        }
        scrubbed.url = answer.url.flatMap { try? HTTPURL(text($0.description)) }
        scrubbed.brokenBy = answer.brokenBy.map(failure)
        return scrubbed
    }

    func failure(_ failure: Failure) -> Failure {
        var scrubbed = failure
        scrubbed.url = failure.url.map { text($0) }
        scrubbed.detail = failure.detail.map { text($0) }
        scrubbed.underlying = nil
        if case .http(var answer) = failure.reason {
            answer.headerFields = fields(answer.headerFields)
            answer.body = body(answer.body, .answer)
            scrubbed.reason = .http(answer)
        }
        return scrubbed
    }

    private func fields(_ fields: HTTPFields) -> HTTPFields {
        HTTPFields(
            fields.map { field in
                let isSecret = headerNames.contains(field.name.canonicalName)
                return HTTPField(name: field.name, value: isSecret ? Self.mark : text(field.value))
            })
    }

    private func form(_ bytes: [UInt8]) -> [UInt8] {
        guard let form = String(validating: bytes, as: UTF8.self) else { return bytes }
        return Array(text("?" + form).utf8.dropFirst())
    }
}

extension TapeScrubber {
    /// `text` with the secrets of all URLs in it replaced: user information and values of secret query parameters.
    func text(_ text: String) -> String { parameters(userInformation(text)) }

    private func userInformation(_ text: String) -> String {
        var shown = ""
        var rest = text[...]
        while let slashes = rest.firstRange(of: "://") {
            shown += rest[..<slashes.upperBound]
            rest = rest[slashes.upperBound...]
            let authority = rest.prefix { !"/?#\"<> ".contains($0) }
            guard let at = authority.lastIndex(of: "@") else { continue }
            shown += Self.mark
            rest = rest[at...]
        }
        return shown + rest
    }

    private func parameters(_ text: String) -> String {
        var shown = ""
        var rest = text[...]
        while let start = rest.firstIndex(where: { "?&#".contains($0) }) {
            shown += rest[...start]
            rest = rest[rest.index(after: start)...]
            let pair = rest.prefix { !"?&#\"<> ".contains($0) }
            guard let equals = pair.firstIndex(of: "=") else { continue }
            // The whole value belongs to the secret, even if part of it looks like another query.
            let value = rest[rest.index(after: equals)...].prefix { !"&#\"<> ".contains($0) }
            guard isSecret(String(pair[..<equals]), String(value)) else { continue }
            shown += pair[...equals] + Self.mark
            rest = rest[value.endIndex...]
        }
        return shown + rest
    }

    /// Whether the parameter's name is secret, or its value is a URL with such a parameter.
    private func isSecret(_ name: String, _ value: String) -> Bool {
        let decoded = PercentCoding.decode(name)
        if Redaction.isSecret(queryName: decoded) || queryNames.contains(decoded.lowercased()) {
            return value != Self.mark
        }
        let inner = PercentCoding.decode(value)
        return inner != value && text(inner) != inner
    }
}
