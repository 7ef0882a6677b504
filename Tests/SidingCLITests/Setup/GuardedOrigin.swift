// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import Testing

/// How an origin guards its collections, and how `siding init` is told to open them.
struct OriginGuard: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The header field of a request that is let in; nil lets all in.
    var key: (field: String, value: String)?
    /// The `WWW-Authenticate` of a refusal; nil for none.
    var challenge: String?
    var status = 401
    /// The options of `siding init`.
    var options: [String] = []
    /// The line of the config.
    var line = ""

    /// A secret that must be nowhere.
    static let canary = "c4n4ry-0123456789"
    static let environment = [
        "ORIGIN_TOKEN": canary, "ORIGIN_USER": "ada", "ORIGIN_PASSWORD": canary, "ORIGIN_KEY": canary,
    ]

    static let open = OriginGuard(testDescription: "no credentials")
    static let bearer = OriginGuard(
        testDescription: "bearer", key: ("Authorization", "Bearer \(canary)"), challenge: #"Bearer realm="api, v2""#,
        options: ["--bearer-env", "ORIGIN_TOKEN"], line: "auth: { type: bearer, token: { env: ORIGIN_TOKEN } }")
    static let oauth = OriginGuard(
        testDescription: "OAuth", key: ("Authorization", "Bearer \(canary)"),
        challenge: #"Bearer authorization_uri="https://login.example/authorize", error="invalid_token""#,
        options: ["--bearer-env", "ORIGIN_TOKEN"], line: "auth: { type: bearer, token: { env: ORIGIN_TOKEN } }")
    static let basic = OriginGuard(
        testDescription: "basic",
        key: ("Authorization", "Basic \(Data("ada:\(canary)".utf8).base64EncodedString())"),
        challenge: #"Negotiate, Basic realm="api", charset="UTF-8""#,
        options: ["--basic-env", "ORIGIN_USER:ORIGIN_PASSWORD"],
        line: "auth: { type: basic, user: { env: ORIGIN_USER }, password: { env: ORIGIN_PASSWORD } }")
    static let header = OriginGuard(
        testDescription: "header", key: ("X-API-Key", canary), options: ["--header", "X-API-Key: env:ORIGIN_KEY"],
        line: "auth: { type: api_key, in: header, name: X-API-Key, key: { env: ORIGIN_KEY } }")
    static let token = OriginGuard(
        testDescription: "a scheme of its own", key: ("Authorization", "Token \(canary)"), challenge: "Token",
        status: 403, options: ["--header", "Authorization: Token env:ORIGIN_TOKEN"],
        line: "auth: { type: api_key, in: header, name: Authorization, prefix: Token, key: { env: ORIGIN_TOKEN } }")
    static let all = [open, bearer, oauth, basic, header, token]

    /// Starts an origin with two collections, `/v2/users` and `/v2/events`.
    func start() async throws -> Origin {
        try await Origin.start { request in
            if let key, let name = HTTPField.Name(key.field), request.headerFields[name] != key.value { return refusal }
            return Self.collections(request)
        }
    }

    static func collections(_ request: OriginRequest) -> OriginResponse {
        switch request.path {
        case "/v2/users": .json(#"{"items":[{"id":1,"name":"Ada"},{"id":2,"name":"Bo"}]}"#)
        case "/v2/events": .json(#"[{"uuid":"a"},{"uuid":"b"},{"uuid":"c"}]"#)
        default: .notFound
        }
    }

    private var refusal: OriginResponse {
        .json(
            #"{"message":"who are you?"}"#, status: HTTPResponse.Status(code: status),
            headerFields: challenge.map { [.wwwAuthenticate: $0] } ?? [:])
    }
}
