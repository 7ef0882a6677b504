// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingSynchronization
import Testing

@testable import Siding
@testable import SidingService

/// Who may look, and who may act.
@Suite(.timeLimit(.minutes(5))) struct ServerTokenTests {
    private static let bearer = ["Authorization": "Bearer \(ServiceBench.token)"]

    private static func basic(_ text: String) -> [String: String] {
        ["Authorization": "Basic \(Data(text.utf8).base64EncodedString())"]
    }

    @Test func `with a token everything needs it, but for whether the service works`() async throws {
        let bench = try await ServiceBench()
        try await bench.serving(token: ServiceBench.token) { client in
            for path in ["/", "/api/status", "/metrics", "/events", "/style.css", "/none"] {
                for fields in [
                    [:], ["Authorization": "Bearer wrong-token-of-some-length"], Self.basic("siding:wrong"),
                    ["Authorization": "Bearer"], ["Authorization": "Basic %%%"],
                ] as [[String: String]] {
                    let answer = try await client.get(path, fields)
                    #expect(answer.status == 401, "\(path)")
                    #expect(answer["WWW-Authenticate"] == #"Basic realm="siding", charset="UTF-8""#)
                }
            }
            for path in ["/", "/api/status", "/metrics", "/style.css"] {
                for fields in [Self.bearer] + ["anybody:", ":"].map({ Self.basic($0 + ServiceBench.token) }) {
                    #expect(try await client.get(path, fields).status == 200, "\(path)")
                }
            }
            #expect(try await client.get("/healthz").status == 200)
            #expect(try await client.get("/readyz").status == 200)
        }
    }

    @Test func `another token takes the place of the first, and one that is not a secret does not`() async throws {
        let bench = try await ServiceBench()
        let place = Promise<HTTPService.Address>()
        let service = try bench.service(token: ServiceBench.token, onListening: { place.resolve($0) })
        let running = Task { try await service.run() }
        let client = ServerClient(address: await place.value(), stop: {})
        let other = "another-token-of-some-length"
        let expected = [(ServiceBench.token, 200, 401), (other, 401, 200)]
        for (token, status, _) in expected {
            #expect(try await client.get("/api/status", ["Authorization": "Bearer \(token)"]).status == status)
        }
        let error = #expect(throws: ServiceError.self) { try service.replaceToken("short") }
        #expect(error?.kind == .invalidToken)
        #expect(try await client.get("/api/status", Self.bearer).status == 200)
        try service.replaceToken(other)
        for (token, _, status) in expected {
            #expect(try await client.get("/api/status", ["Authorization": "Bearer \(token)"]).status == status)
            #expect(try await client.get("/", Self.basic("me:\(token)")).status == status)
        }
        running.cancel()
        _ = await running.result
        #expect(throws: ServiceError.self) { try bench.service().replaceToken(other) }
    }

    @Test func `programs act with the bearer token alone`() async throws {
        let bench = try await ServiceBench()
        let entry = try await bench.write()
        let path = "/api/queue/\(entry.id)/hold"
        try await bench.serving { client async throws in
            for fields in [[:], Self.bearer, ["X-Siding-Token": "x"]] as [[String: String]] {
                #expect(try await client.ask("POST", path, fields).status == 403)
            }
        }
        try await bench.serving(token: ServiceBench.token) { client async throws in
            #expect(try await client.ask("POST", path).status == 401)
            // A browser adds it by itself, also to what another site sends.
            #expect(try await client.ask("POST", path, Self.basic("me:\(ServiceBench.token)")).status == 403)
            #expect(try await bench.entry(entry.id).state == .queued)
            #expect(try await client.ask("POST", path, Self.bearer).status == 200)
            #expect(try await bench.entry(entry.id).state == .parked)
        }
    }

    @Test func `a form acts with the token of its own session, sent by its own page`() async throws {
        let bench = try await ServiceBench()
        let entry = try await bench.write()
        let path = "/queue/\(entry.id)/hold"
        try await bench.serving { client in
            let mine = try await client.session("/queue/\(entry.id)")
            let other = try await client.session("/queue/\(entry.id)")
            let form = "token=\(mine.token)"
            for (form, cookie, origin) in [
                ("", mine.cookie, nil), ("token=", mine.cookie, nil), ("token=\(other.token)", mine.cookie, nil),
                (form, nil, nil), (form, other.cookie, nil), (form, "siding_session=", nil),
                (form, mine.cookie, "http://evil.example"), (form, mine.cookie, "null"),
                (form, mine.cookie, "http://127.0.0.1:1"), (form, mine.cookie, "http://localhost:\(client.port)"),
            ] as [(String, String?, String?)] {
                let answer = try await client.post(
                    path, form: form, cookie: cookie, origin.map { ["Origin": $0] } ?? [:])
                #expect(answer.status == 403, "\(form) \(cookie ?? "") \(origin ?? "")")
            }
            #expect(try await bench.entry(entry.id).state == .queued)
            #expect(try await client.post(path, form: form, cookie: mine.cookie).status == 303)
            #expect(try await bench.entry(entry.id).state == .parked)
        }
    }

    @Test func `the cookie of a session is for this site, and not for scripts`() async throws {
        let bench = try await ServiceBench()
        try await bench.serving { client in
            let answer = try await client.get("/")
            let cookie = try #require(answer["Set-Cookie"])
            #expect(cookie.wholeMatch(of: /siding_session=[0-9a-f]{32}; Path=\/; HttpOnly; SameSite=Strict/) != nil)
            let known = try await client.get("/", ["Cookie": "a=b; \(cookie.prefix { $0 != ";" })"])
            #expect(known["Set-Cookie"] == nil)
        }
    }

    @Test func `a form behind a proxy with TLS comes from that name`() async throws {
        let bench = try await ServiceBench()
        let entry = try await bench.write()
        try await bench.serving(allowedHosts: ["siding.example.org"]) { client in
            let session = try await client.session("/queue/\(entry.id)")
            let answer = try await client.post(
                "/queue/\(entry.id)/hold", form: "token=\(session.token)", cookie: session.cookie,
                ["Host": "siding.example.org", "Origin": "https://siding.example.org"])
            #expect(answer.status == 303)
        }
    }

    @Test func `an address for others needs a token that is a secret`() throws {
        for address in ["0.0.0.0:80", "[::]:80", "192.0.2.1:8787", "siding.example.org:80"] {
            let error = #expect(throws: ServiceError.self) {
                _ = try Admission(HTTPService.Address(address), token: nil, allowedHosts: [])
            }
            #expect(error?.kind == .tokenRequired)
            #expect(error?.message.contains(address) == true)
        }
        for address in ["127.0.0.1:80", "127.0.0.2:80", "localhost:80", "[::1]:80", "unix:/run/x"] {
            #expect(throws: Never.self) {
                _ = try Admission(HTTPService.Address(address), token: nil, allowedHosts: [])
            }
        }
        for token in ["", "short", "with a space in the middle", "ümlaut-ümlaut-ümlaut"] {
            let error = #expect(throws: ServiceError.self) {
                _ = try Admission(.loopback(port: 80), token: token, allowedHosts: [])
            }
            #expect(error?.kind == .invalidToken)
        }
    }
}
