// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingInspection

/// A complete answer.
struct ServiceAnswer: Sendable {
    var status = HTTPResponse.Status.ok
    var fields = HTTPFields()
    var body: [UInt8]

    init(_ contentType: String, _ body: [UInt8], status: HTTPResponse.Status = .ok) {
        (self.status, self.body) = (status, body)
        fields[.contentType] = contentType
    }

    static func json(_ object: JSONObject, _ status: HTTPResponse.Status = .ok) -> ServiceAnswer {
        ServiceAnswer("application/json", object.bytes + [UInt8(ascii: "\n")], status: status)
    }

    /// An array, with each object on a line.
    static func json(_ objects: [JSONObject]) -> ServiceAnswer {
        let lines = objects.map(\.bytes).joined(separator: Array(",\n".utf8))
        return ServiceAnswer("application/json", Array("[".utf8) + lines + Array("]\n".utf8))
    }

    static func html(_ text: String, _ status: HTTPResponse.Status = .ok) -> ServiceAnswer {
        ServiceAnswer("text/html; charset=utf-8", Array(text.utf8), status: status)
    }

    /// The page that a form leads to.
    static func seeOther(_ location: String) -> ServiceAnswer {
        var answer = ServiceAnswer("text/plain; charset=utf-8", Array("see \(location)\n".utf8), status: .seeOther)
        answer.fields[.location] = location
        return answer
    }

    /// The head, with the fields that every answer has.
    ///
    /// - Parameter isEndless: whether the length of the body is unknown.
    func head(now: Timestamp, isEndless: Bool = false) -> HTTPResponse {
        var fields = fields
        for (name, value) in Self.safety { fields[name] = value }
        fields[.date] = HTTPDate.text(Double(now.microseconds) / 1_000_000)
        if !isEndless { fields[.contentLength] = String(body.count) }
        return HTTPResponse(status: status, headerFields: fields)
    }

    /// What browsers are told: run and show nothing that is from elsewhere, put no page into a frame, keep nothing.
    /// Without any referrer, they would not name the origin of a form either (Fetch Standard, "append a request Origin
    /// header").
    private static let safety: [(HTTPField.Name, String)] =
        [
            (
                HTTPField.Name.contentSecurityPolicy,
                """
                default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; \
                connect-src 'self'; base-uri 'none'; frame-ancestors 'none'
                """
            ),
            (HTTPField.Name.xContentTypeOptions, "nosniff"), (HTTPField.Name.cacheControl, "no-store"),
        ]
        + [("Referrer-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin")].compactMap { field in
            HTTPField.Name(field.0).map { ($0, field.1) }
        }
}
