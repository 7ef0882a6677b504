// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import SidingService

/// Asks a service.
struct ServerClient {
    let address: HTTPService.Address
    /// Asks the service to stop.
    let stop: @Sendable () async -> Void

    var port: Int {
        switch address {
        case .loopback(let port), .host(_, let port): port
        case .unixSocket: 0
        }
    }

    func connection() throws -> ServerConnection {
        if case .unixSocket(let path) = address { return try ServerConnection(path: path) }
        return try ServerConnection(port: port)
    }

    /// - Parameter fields: further header fields; `Host` is the address unless it is among them.
    static func request(
        _ method: String, _ path: String, _ fields: [String: String], body: String = "", port: Int
    ) -> String {
        var fields = fields
        fields["Host"] = fields["Host"] ?? "127.0.0.1:\(port)"
        if !body.isEmpty { fields["Content-Length"] = String(body.utf8.count) }
        let lines = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }.joined()
        return "\(method) \(path) HTTP/1.1\r\n\(lines)\r\n\(body)"
    }

    func ask(
        _ method: String, _ path: String, _ fields: [String: String] = [:], body: String = ""
    ) async throws -> ServerAnswer {
        let connection = try connection()
        try await connection.send(Self.request(method, path, fields, body: body, port: port))
        return try await connection.answer(toHead: method == "HEAD")
    }

    func get(_ path: String, _ fields: [String: String] = [:]) async throws -> ServerAnswer {
        try await ask("GET", path, fields)
    }

    func status(_ path: String, host: String) async throws -> Int {
        try await get(path, ["Host": host]).status
    }

    /// Sends a form as a browser does that has the session of `cookie`.
    func post(
        _ path: String, form: String, cookie: String?, _ fields: [String: String] = [:]
    ) async throws -> ServerAnswer {
        var fields = fields
        fields["Content-Type"] = "application/x-www-form-urlencoded"
        fields["Origin"] = fields["Origin"] ?? "http://127.0.0.1:\(port)"
        fields["Cookie"] = cookie
        return try await ask("POST", path, fields, body: form)
    }

    /// A browser's session: the cookie of a page, and the token of its forms.
    func session(_ path: String) async throws -> (cookie: String, token: String) {
        let answer = try await get(path, ["Accept": "text/html"])
        let cookie = try #require(answer["Set-Cookie"]?.split(separator: ";").first)
        let token = try #require(answer.text.firstMatch(of: /name="token" value="([0-9a-f]{64})"/))
        return (String(cookie), String(token.1))
    }
}
