// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import NIOHTTP1
internal import SidingChain

/// Status and header fields of a response, converted from NIO's type to that of SidingChain.
struct ResponseHead: Sendable {
    let response: HTTPResponse

    var status: Int { response.status.code }

    init(_ head: HTTPResponseHead) {
        var fields = HTTPFields()
        for (name, value) in head.headers {
            // NIO's parser accepts only names that are valid tokens.
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        response = HTTPResponse(
            status: .init(code: Int(head.status.code), reasonPhrase: head.status.reasonPhrase), headerFields: fields)
    }
}

/// How the body of a response is delimited and encoded.
struct BodyFraming: Sendable {
    /// The number of bytes to come, if declared and not hidden by an encoding.
    let length: Int?
    /// Whether the transport can decode the body's encoding.
    let isReadable: Bool

    /// The framing of the body of a response to a request with `method` (RFC 9112 §6.3).
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
