// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import SidingSynchronization

/// The door of an origin: gives tokens in every way that Siding asks for them, and lets in who brings the one of now.
final class Door: Sendable {
    static let canary = "c4n4ry-0123456789"

    struct State {
        /// Counts the tokens that were given.
        var given = 0
        var isExpired = false
        var secret = "\(Door.canary)/s3cret+1"
        var refreshToken = "\(Door.canary)-refresh-0"
        var spent: Set<String> = []
        /// Times that a spent refresh token came back.
        var reuses = 0
        var lifetime: Int? = 3600
        /// How the token endpoint says no, where it does.
        var refusal: OriginResponse?
        /// Requests for tokens, in order.
        var asked: [OriginRequest] = []
        var token: String { "\(Door.canary)-token-\(given)" }
    }

    /// The header field that carries tokens, and what stands before them.
    let field: HTTPField.Name
    let prefix: String
    let state = Mutex(State())

    init(field: HTTPField.Name = .authorization, prefix: String = "Bearer ") {
        (self.field, self.prefix) = (field, prefix)
    }

    var given: Int { state.withLock(\.given) }
    var reuses: Int { state.withLock(\.reuses) }
    /// The bodies of requests for tokens.
    var forms: [[String: String]] { state.withLock(\.asked).map { Self.form($0) } }
    var asked: [OriginRequest] { state.withLock(\.asked) }

    func expire() { state.withLock { $0.isExpired = true } }
    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    /// The answer to a request for a token, or to one without the token of now; nil lets the request in.
    func answer(_ request: OriginRequest) -> OriginResponse? {
        switch request.path {
        case "/token": return state.withLock { Self.exchange(request, &$0) }
        case "/login": return state.withLock { Self.login(request, &$0) }
        default:
            let isOpen = state.withLock { state in
                state.given > 0 && !state.isExpired && request.headerFields[field] == prefix + state.token
            }
            return isOpen ? nil : .json(#"{"message":"who are you?"}"#, status: .unauthorized)
        }
    }

    private static func exchange(_ request: OriginRequest, _ state: inout State) -> OriginResponse {
        state.asked.append(request)
        if let refusal = state.refusal { return refusal }
        let form = form(request)
        guard form["grant_type"] == "refresh_token" else {
            let pair = "my%20app:\(state.secret.replacing("/", with: "%2F").replacing("+", with: "%2B"))"
            let basic = "Basic \(Data(pair.utf8).base64EncodedString())"
            let isKnown = request.headerFields[.authorization] == basic || form["client_secret"] == state.secret
            return isKnown ? give(&state) : .json(#"{"error":"invalid_client"}"#, status: .unauthorized)
        }
        guard let token = form["refresh_token"], token == state.refreshToken else {
            if state.spent.contains(form["refresh_token"] ?? "") { state.reuses += 1 }
            return .json(#"{"error":"invalid_grant"}"#, status: .badRequest)
        }
        state.spent.insert(token)
        state.refreshToken = "\(canary)-refresh-\(state.given + 1)"
        return give(&state)
    }

    private static func give(_ state: inout State) -> OriginResponse {
        state.given += 1
        state.isExpired = false
        let lifetime = state.lifetime.map { #","expires_in":\#($0)"# } ?? ""
        return .json(
            #"{"access_token":"\#(state.token)","token_type":"Bearer","refresh_token":"\#(state.refreshToken)"\#(lifetime)}"#
        )
    }

    private static func login(_ request: OriginRequest, _ state: inout State) -> OriginResponse {
        state.asked.append(request)
        let text = String(decoding: request.body, as: UTF8.self)
        let isKnown = text.contains(state.secret) || form(request).values.contains(state.secret)
        guard isKnown else { return .json(#"{"message":"wrong password"}"#, status: .unprocessableContent) }
        state.given += 1
        state.isExpired = false
        guard let field = HTTPField.Name("X-Session") else { return .notFound }
        return .json(#"{"data":{"jwt":"\#(state.token)"}}"#, headerFields: [field: state.token])
    }

    static func form(_ request: OriginRequest) -> [String: String] {
        OriginRequest(method: "POST", target: "/?" + String(decoding: request.body, as: UTF8.self)).query
    }
}

extension Service {
    /// A service behind `door`; writes to `/orders` are taken.
    static func start(behind door: Door, items: Int = 20) async throws -> Service {
        let service = try await start(items: items)
        service.guarded(by: door)
        return service
    }

    /// - Parameter before: hears each request before the door does.
    func guarded(by door: Door, before: @escaping @Sendable (OriginRequest) async -> Void = { _ in }) {
        listen { _, request in
            await before(request)
            if let answer = door.answer(request) { return answer }
            return request.path == "/orders" ? .json(#"{"id":"7"}"#, status: .created) : nil
        }
    }

    /// What a source says of a token endpoint here.
    func oauth(_ type: String, _ more: String) -> String {
        "retry: { inline: 0 }, auth: { type: \(type), token_url: \"\(url)/token\", \(more) }"
    }
}

extension Sandbox {
    /// The file with the kept token of the source `shop`.
    var keptToken: String {
        String(
            decoding: FileManager.default.contents(atPath: file("test.db.credentials/shop")) ?? Data(), as: UTF8.self)
    }

    /// The names of files that hold `text`, without those that are there to hold it.
    func leaks(of text: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path).filter { name in
            !name.hasPrefix("test.db.credentials/") && !name.hasPrefix("secret")
                && FileManager.default.contents(atPath: file(name))?.range(of: Data(text.utf8)) != nil
        }
    }
}
