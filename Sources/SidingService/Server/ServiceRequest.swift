// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import HTTPTypes

/// One request, checked and decoded once.
struct ServiceRequest: Sendable {
    /// GET, HEAD or POST.
    let method: HTTPRequest.Method
    /// The decoded components of the path; none for `/`.
    let path: [String]
    let query: Parameters
    let fields: HTTPFields
    /// The host that it was sent to, as its `Host` field names it.
    let host: HostName
    /// Whether it came by HTTP/1.0.
    let isOldVersion: Bool

    /// The longest path with its query, in bytes.
    private static let longestTarget = 8_192

    /// - Throws: ``ServiceProblem`` with 400, 405 or 414.
    init(_ head: HTTPRequest) throws {
        method = head.method
        guard [.get, .head, .post].contains(method) else {
            var problem = ServiceProblem(.methodNotAllowed, "method", "\(head.method.rawValue) is not served")
            problem.fields[.allow] = "GET, HEAD, POST"
            throw problem
        }
        // A second Host field stays among the others.
        guard let host = head.authority.flatMap(HostName.init),
            !head.headerFields.contains(where: { $0.name.canonicalName == "host" })
        else { throw ServiceProblem.usage("the request needs one Host field") }
        let target = head.path ?? ""
        guard target.utf8.count <= Self.longestTarget else {
            throw ServiceProblem(.uriTooLong, "uri_too_long", "the address is too long")
        }
        guard target.utf8.allSatisfy((UInt8(ascii: "!")...UInt8(ascii: "~")).contains) else {
            throw ServiceProblem.usage("the address is not encoded")
        }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, path.hasPrefix("/"), !target.contains("#") else {
            throw ServiceProblem.usage("the address is not a path")
        }
        (self.host, fields) = (host, head.headerFields)
        isOldVersion = head.headerFields.contains { $0.name.canonicalName == RequestLine.oldVersionField }
        self.path = try Self.components(path.dropFirst())
        query = try Parameters(parts.count > 1 ? parts[1] : "")
    }

    private static func components(_ path: Substring) throws -> [String] {
        guard !path.isEmpty else { return [] }
        return try path.split(separator: "/", omittingEmptySubsequences: false).map { part in
            let decoded = try Parameters.decoded(part)
            // Browsers resolve dots before they send a path, so such a part never means a name.
            guard !["", ".", ".."].contains(decoded) else {
                throw ServiceProblem.usage("the address has an empty part, or one of dots")
            }
            return decoded
        }
    }

    /// The first component of the path as it was sent; nil for `/`.
    static func section(_ head: HTTPRequest) -> String? {
        (head.path ?? "").prefix { $0 != "?" }.split(separator: "/").first.map(String.init)
    }

    /// Whether a program sent it, or a script: errors are JSON, also that the request cannot be decoded.
    static func isForProgram(_ head: HTTPRequest) -> Bool {
        section(head) == "api" || !(head.headerFields[.accept] ?? "").contains("text/html")
    }

    var cookies: [String: String] {
        fields[values: .cookie].flatMap { $0.split(separator: ";") }.reduce(into: [:]) { cookies, pair in
            let halves = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if halves.count == 2 { cookies[String(halves[0])] = String(halves[1]) }
        }
    }

    /// The media type of the body, without parameters.
    var contentType: String {
        (fields[.contentType] ?? "").prefix { $0 != ";" }.lowercased().filter { $0 != " " }
    }

    /// The credential of an `Authorization` field of this scheme.
    func credential(_ scheme: String) -> String? {
        let halves = (fields[.authorization] ?? "").split(separator: " ", maxSplits: 1)
        guard halves.count == 2, halves[0].lowercased() == scheme else { return nil }
        return String(halves[1].drop { $0 == " " })
    }

    /// The password of Basic authentication, with any user name (RFC 7617).
    var password: String? {
        guard let data = credential("basic").flatMap({ Data(base64Encoded: $0) }),
            let text = String(validating: data, as: UTF8.self), let colon = text.firstIndex(of: ":")
        else { return nil }
        return String(text[text.index(after: colon)...])
    }
}
