// SPDX-License-Identifier: Apache-2.0
import SidingTesting
import Testing

@testable import Siding
@testable import SidingService

/// What the service refuses, whoever asks.
@Suite(.timeLimit(.minutes(5))) struct ServerRefusalTests {
    @Test func `a request for another host name is refused on any path`() async throws {
        let bench = try await ServiceBench()
        try await bench.serving { client in
            for host in [
                "evil.example", "evil.example:\(client.port)", "127.0.0.1.evil.example", "localhost.evil.example",
                "10.0.0.7", "[::2]:80",
            ] {
                for path in ["/", "/api/status", "/healthz", "/metrics", "/events", "/style.css"] {
                    let answer = try await client.get(path, ["Host": host])
                    #expect(answer.status == 421, "\(host) \(path)")
                }
            }
            for host in ["localhost", "LOCALHOST:\(client.port)", "127.0.0.1", "[::1]", "localhost:9000"] {
                #expect(try await client.status("/healthz", host: host) == 200, "\(host)")
            }
        }
    }

    @Test func `names that were allowed are served`() async throws {
        let bench = try await ServiceBench()
        try await bench.serving(allowedHosts: ["Siding.example.org:443"]) { client async throws in
            #expect(try await client.status("/healthz", host: "siding.example.org") == 200)
            #expect(try await client.status("/healthz", host: "other.example.org") == 421)
        }
    }

    @Test func `a service on all addresses is served under each of them, and under no name`() async throws {
        let bench = try await ServiceBench()
        try await bench.serving(at: .host("0.0.0.0", port: 0), token: ServiceBench.token) { client async throws in
            #expect(try await client.status("/healthz", host: "192.0.2.7:80") == 200)
            #expect(try await client.status("/healthz", host: "evil.example") == 421)
        }
    }

    @Test func `a request has exactly one host`() async throws {
        let bench = try await ServiceBench()
        try await bench.serving { client in
            for fields in ["", "Host: localhost\r\nHost: evil.example\r\n", "Host: a b\r\n", "Host: <script>\r\n"] {
                let connection = try client.connection()
                try await connection.send("GET /healthz HTTP/1.1\r\n\(fields)\r\n")
                #expect(try await connection.answer().status == 400, "\(fields)")
            }
        }
    }

    @Test(arguments: [
        "/%", "/%zz", "/a%00b", "//", "/runs//1", "/./runs", "/../etc/passwd", "/%2e%2e/x", "/%ff", "/runs/",
        "/api/status?limit=%g", "runs", "*", "/a#b", "/caf\u{E9}",
        "http://evil.example/api/status", "http://127.0.0.1/api/status", "https://127.0.0.1", "evil.example:80",
    ])
    func `an address that is not a proper path is refused`(_ path: String) async throws {
        let bench = try await ServiceBench()
        try await bench.serving { client in
            let answer = try await client.get(path)
            #expect(answer.status == 400, "\(answer.text)")
        }
    }

    @Test func `an address that is too long is refused`() async throws {
        let bench = try await ServiceBench()
        try await bench.serving { client in
            let answer = try await client.get("/" + String(repeating: "a", count: 9_000))
            #expect(answer.status == 414)
        }
    }

    @Test func `other methods than GET, HEAD and POST are not served`() async throws {
        let bench = try await ServiceBench()
        try await bench.serving { client in
            for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"] {
                let answer = try await client.ask(method, "/api/status")
                #expect(answer.status == 405 && answer["Allow"] == "GET, HEAD, POST", "\(method)")
            }
            #expect(try await client.ask("OPTIONS", "*").status == 405)
        }
    }

    @Test func `a body over 1 MiB is refused, by its length and by its chunks`() async throws {
        let bench = try await ServiceBench()
        let entry = try await bench.write()
        try await bench.serving(token: ServiceBench.token) { client in
            let path = "/api/queue/\(entry.id)/resolve?how=merge"
            let bearer = ["Authorization": "Bearer \(ServiceBench.token)"]
            let large = String(repeating: " ", count: 1 << 20) + "1"
            #expect(try await client.ask("POST", path, bearer, body: large).status == 413)
            let connection = try client.connection()
            var fields = bearer
            fields["Transfer-Encoding"] = "chunked"
            try await connection.send(ServerClient.request("POST", path, fields, port: client.port))
            let chunk = String(repeating: " ", count: 1 << 16)
            for _ in 0..<17 { try await connection.send("10000\r\n\(chunk)\r\n") }
            try await connection.send("0\r\n\r\n")
            #expect(try await connection.answer().status == 413)
            // The connection goes on, and a body of exactly 1 MiB is read.
            try await connection.send(
                ServerClient.request("POST", path, bearer, body: String(large.dropFirst()), port: client.port))
            #expect(try await connection.answer().status == 409)
        }
    }

    @Test func `a body over 1 MiB is refused also where it would not be read`() async throws {
        let bench = try await ServiceBench()
        try await bench.serving { client in
            let connection = try client.connection()
            let chunk = "10000\r\n\(String(repeating: " ", count: 1 << 16))\r\n"
            for (method, path) in [("GET", "/healthz"), ("GET", "/"), ("HEAD", "/api/status"), ("GET", "/events")] {
                let head = ServerClient.request(method, path, ["Transfer-Encoding": "chunked"], port: client.port)
                try await connection.send(head + String(repeating: chunk, count: 17) + "0\r\n\r\n")
                #expect(try await connection.answer(toHead: method == "HEAD").status == 413, "\(path)")
            }
            let head = ServerClient.request("GET", "/healthz", ["Transfer-Encoding": "chunked"], port: client.port)
            try await connection.send(head + chunk + "0\r\n\r\n")
            #expect(try await connection.answer().status == 200)
        }
    }

    @Test func `header fields without end are refused`() async throws {
        let bench = try await ServiceBench()
        try await bench.serving { client in
            let connection = try client.connection()
            try await connection.send("GET / HTTP/1.1\r\nHost: localhost\r\n")
            let field = "X-Padding: \(String(repeating: "a", count: 1_000))\r\n"
            for _ in 0..<40 { try? await connection.send(field) }
            #expect(try await connection.rest().hasPrefix("HTTP/1.1 400"))
        }
    }

    @Test func `every answer forbids browsers to run, frame and store foreign content`() async throws {
        let bench = try await ServiceBench()
        try await bench.serving { client in
            for (path, fields) in [
                ("/", [:]), ("/api/status", [:]), ("/none", ["Accept": "text/html"]), ("/", ["Host": "evil.example"]),
                ("/style.css", [:]), ("/healthz", [:]),
            ] as [(String, [String: String])] {
                let answer = try await client.get(path, fields)
                let policy = try #require(answer["Content-Security-Policy"])
                #expect(policy.hasPrefix("default-src 'none'; style-src 'self'; script-src 'self'; "), "\(path)")
                for part in ["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'", "connect-src 'self'"] {
                    #expect(policy.contains(part), "\(path)")
                }
                #expect(answer["X-Content-Type-Options"] == "nosniff")
                #expect(answer["Referrer-Policy"] == "same-origin")
                #expect(answer["Cache-Control"] == "no-store")
                #expect(answer["Date"] == "Tue, 14 Nov 2023 22:13:20 GMT")
            }
        }
    }

    @Test func `an error is an object for programs and a page for browsers, and its text is not markup`() async throws {
        let bench = try await ServiceBench()
        try await bench.serving { client in
            let object = try await client.get("/api/records/%3Cscript%3E")
            #expect(object.status == 404 && object["Content-Type"] == "application/json")
            #expect(object.text.hasPrefix(#"{"error":{"code":404,"name":"not_found","message":"#))
            let page = try await client.get("/records/%3Cscript%3E", ["Accept": "text/html"])
            #expect(page.status == 404 && page["Content-Type"] == "text/html; charset=utf-8")
            #expect(page.text.contains("&lt;script&gt;") && !page.text.contains("<script>"))
        }
    }

    @Test(
        arguments: [
            ("/records/none", 404, "Records"), ("/queue?state=lost", 400, "Queue"), ("/runs/?x=%zz", 400, "Runs"),
            ("/none", 404, nil), ("/%", 400, nil), ("/?done=a&done=b", 400, "Overview"),
        ] as [(String, Int, String?)])
    func `an error page has the navigation of all others`(
        _ address: String, _ status: Int, _ section: String?
    ) async throws {
        let bench = try await ServiceBench()
        try await bench.serving { client in
            let answer = try await client.get(address, ["Accept": "text/html"])
            #expect(answer.status == status)
            let page = try ParsedPage(answer.text)
            #expect(page.text("h1").hasPrefix("\(status) ") && page.all("p") { $0["class"] == "error" }.count == 1)
            #expect(page.all("a") { $0["aria-current"] == "page" }.map(\.text) == (section.map { [$0] } ?? []))
            #expect(page.links.contains("/") && page.links.contains("/queue"))
        }
    }
}
