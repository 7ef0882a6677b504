// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes
internal import SidingSynchronization

/// Issues access tokens, rotates the refresh token with each refresh, and revokes all of them if a spent one is used again (RFC
/// 9700 §4.14.2), which a client must never cause.
///
/// It guards routes: without the current access token every request except the exchange itself gets 401, and no guarded route
/// is called.
/// ```swift
/// let tokens = TokenEndpoint("/token", guarding: [RecordListing("/posts", of: posts, paging: .link)])
/// let origin = try await Origin.start(routes: [tokens])
/// ```
public final class TokenEndpoint: OriginRoute {
    private struct State {
        var tokens = TokenRotation()
        var refusal: HTTPResponse.Status?
    }

    private let path: String
    private let guarded: [any OriginRoute]
    private let state = Mutex(State())

    /// - Parameters:
    ///   - path: the path of the token exchange of RFC 6749 §6: a POST of a form.
    ///   - guarded: routes that require the current access token.
    public init(_ path: String = "/token", guarding guarded: [any OriginRoute]) {
        (self.path, self.guarded) = (path, guarded)
    }

    /// The access token that the guarded routes currently accept.
    public var accessToken: String { state.withLock(\.tokens.accessToken) }
    /// The refresh token that the next refresh must use.
    public var refreshToken: String { state.withLock(\.tokens.refreshToken) }
    /// The number of successful refreshes.
    public var refreshCount: Int { state.withLock(\.tokens.refreshes) }
    /// How often a spent refresh token was used again.
    public var reuseCount: Int { state.withLock(\.tokens.reuses) }

    /// Expires the current access token; its refresh token stays valid.
    public func expireAccess() { state.withLock { $0.tokens.expire() } }

    /// Refuses every refresh from now on with `status`: 400 with `invalid_grant`.
    public func refuse(with status: HTTPResponse.Status = .badRequest) { state.withLock { $0.refusal = status } }

    /// New tokens, or the answer of a guarded route, or 401; nil if no guarded route is asked, or none answers.
    public func answer(_ request: OriginRequest) async -> OriginResponse? {
        if request.path == path, request.method == "POST" { return exchange(request) }
        guard !guarded.isEmpty else { return nil }
        let isOpen = state.withLock { $0.tokens.opens(request.headerFields[.authorization]) }
        guard isOpen else { return Self.unauthorized }
        for route in guarded {
            if let answer = await route.answer(request) { return answer }
        }
        return nil
    }

    private func exchange(_ request: OriginRequest) -> OriginResponse {
        let form = Self.form(request.body)
        return state.withLock { state in
            if let refusal = state.refusal { return Self.refused(refusal) }
            guard form["grant_type"] == "refresh_token", let token = form["refresh_token"],
                state.tokens.exchange(token)
            else { return Self.refused(.badRequest) }
            return .json(
                """
                {"access_token":"\(state.tokens.accessToken)","token_type":"Bearer","expires_in":3600,\
                "refresh_token":"\(state.tokens.refreshToken)"}
                """)
        }
    }

    private static func form(_ body: [UInt8]) -> [String: String] {
        OriginRequest(method: "POST", target: "/?" + String(decoding: body, as: UTF8.self)).query
    }

    private static let unauthorized = OriginResponse.json(
        #"{"message":"unauthorized"}"#, status: .unauthorized, headerFields: [.wwwAuthenticate: "Bearer"])

    private static func refused(_ status: HTTPResponse.Status) -> OriginResponse {
        .json(#"{"error":"invalid_grant"}"#, status: status)
    }
}
