// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain

/// The tokens of forms: each belongs to the random cookie of one browser, so that no other site can make one up.
struct FormTokens: Sendable {
    private static let cookie = "siding_session"
    private static let length = 32
    /// Known to this process only: tokens end with it.
    private let secret = FormTokens.random()

    /// The token of the browser's session, and the field that begins one, if it has none yet.
    func session(of request: ServiceRequest) -> (token: String, fields: HTTPFields) {
        if let session = Self.session(in: request) { return (token(of: session), [:]) }
        let session = Self.random()
        return (token(of: session), [.setCookie: "\(Self.cookie)=\(session); Path=/; HttpOnly; SameSite=Strict"])
    }

    /// - Throws: ``ServiceProblem`` unless the form has the token of the browser's session.
    func check(_ form: Parameters, of request: ServiceRequest) throws {
        if let session = Self.session(in: request), let given = try form.value("token"),
            Admission.areEqual(given, token(of: session))
        {
            return
        }
        throw ServiceProblem(
            .forbidden, "form_token", "the form is out of date",
            hint: "open the page with the button again, and repeat the action")
    }

    /// Proves to the browser of `request` that `notice` is the service's own text.
    func proof(of notice: String, to request: ServiceRequest) -> String? {
        Self.session(in: request).map { SHA256.hexadecimal(token(of: $0) + notice) }
    }

    /// The text that an action led to its page with; nil for what the link of somebody else says.
    func notice(of request: ServiceRequest) throws -> String? {
        guard let notice = try request.query.filled("done"), let given = try request.query.value("proof"),
            let proof = proof(of: notice, to: request), Admission.areEqual(given, proof)
        else { return nil }
        return notice
    }

    private static func session(in request: ServiceRequest) -> String? {
        guard let session = request.cookies[cookie], session.utf8.count == length,
            session.utf8.allSatisfy("0123456789abcdef".utf8.contains)
        else { return nil }
        return session
    }

    /// Both parts have a fixed length, so a digest of both together cannot be extended to that of another session.
    private func token(of session: String) -> String { SHA256.hexadecimal(secret + session) }

    private static func random() -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: length / 2 - digits.count) + digits
        }.joined()
    }
}
