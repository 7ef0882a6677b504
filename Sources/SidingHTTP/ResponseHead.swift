internal import HTTPTypes
internal import NIOHTTP1
internal import SidingChain

/// The head of an answer, in the terms of chains.
struct ResponseHead: Sendable {
    let response: HTTPResponse

    var status: Int { response.status.code }

    init(_ head: HTTPResponseHead) {
        var fields = HTTPFields()
        for (name, value) in head.headers {
            // The parser below lets through only names that are tokens.
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        response = HTTPResponse(
            status: .init(code: Int(head.status.code), reasonPhrase: head.status.reasonPhrase), headerFields: fields)
    }
}

/// How the body of an answer is delimited and coded.
struct BodyFraming: Sendable {
    /// The number of bytes to come, where it is declared and no coding hides it.
    let length: Int?
    /// Whether the body's coding is one that is decoded below.
    let isReadable: Bool

    /// What `head`, the answer to a request with `method`, says of its body (RFC 9112 §6.3).
    init(_ head: ResponseHead, method: HTTPRequest.Method) {
        let fields = head.response.headerFields
        let status = head.status
        guard method != .head, status != 204, status != 304 else {
            (length, isReadable) = (0, true)
            return
        }
        let coding = (fields[.contentEncoding] ?? "identity").lowercased()
        let isPlain = coding == "identity" || coding.isEmpty
        length = isPlain ? fields[.contentLength].flatMap { Int($0) } : nil
        isReadable = isPlain || coding == "gzip" || coding == "deflate"
    }
}
