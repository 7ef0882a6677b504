// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingOrigin
import SidingTesting
import Testing

/// Networks that are not one's own: a real proxy, a real server that asks for certificates, Unix sockets, interfaces.
@Suite(.serialized)
struct NetworkTests {
    /// Writes `config` with a database of its own.
    private func place(_ config: String, in sandbox: Sandbox) throws {
        try sandbox.config(config.replacing("test.db", with: "\(UUID().uuidString).db"))
    }

    /// How a first sync fails: exit code, name and message.
    private func failure(
        of config: String, in sandbox: Sandbox, environment: [String: String] = [:]
    ) async throws -> (status: Int32, name: String?, message: String) {
        try place(config, in: sandbox)
        let sync = try await sandbox.siding("sync", "--json", environment: environment)
        let error = try sync.object()["error"]
        #expect(!sync.everything.contains("geheim") && !sync.everything.contains("canary"), "\(sync.everything)")
        return (sync.status, error?["name"]?.string, error?["message"]?.string ?? "")
    }

    private func expectSync(
        of config: String, in sandbox: Sandbox, environment: [String: String] = [:], records: Int
    ) async throws {
        try place(config, in: sandbox)
        let sync = try await sandbox.siding("sync", environment: environment)
        #expect(sync.status == 0, "\(config)\n\(sync.everything)")
        #expect(try await sandbox.count() == records)
    }

    // MARK: A proxy

    /// The config of a service at `host`, which is this machine and does not count as it.
    private func config(_ service: Service, _ http: String = "", port: Int? = nil, more: String = "") -> String {
        service.config(source: "retry: { inline: 0 }, http: { allow_plain_http: true\(http) }\(more)")
            .replacing(service.url, with: "http://0.0.0.0:\(port ?? service.origin.url.port)")
    }

    @Test func `a real proxy is used as the config or the environment says, and its secrets are shown nowhere`()
        async throws
    {
        let (service, sandbox) = (try await Service.start(items: 5), try Sandbox())
        let (program, proxy) = try await Program.tinyproxy(in: sandbox, to: service.origin.url.port)
        try sandbox.write("geheim", to: "secret")
        for secret in ["{ env: PROXY_PASSWORD }", "{ file: secret }", "{ command: [cat, secret] }"] {
            let config = config(
                service, ", proxy: { url: \"http://\(proxy)\", user: ada, password: \(secret) }")
            try await expectSync(of: config, in: sandbox, environment: ["PROXY_PASSWORD": "geheim"], records: 5)
        }
        for variables in [
            ["http_proxy": "http://ada:geheim@\(proxy)"], ["ALL_PROXY": "ada:geheim@\(proxy)"],
            // The config comes first, an exception before both.
            ["http_proxy": "http://127.0.0.1:9", "no_proxy": "0.0.0.0/8"],
        ] {
            try await expectSync(of: config(service), in: sandbox, environment: variables, records: 5)
        }
        try await expectSync(
            of: config(service, ", proxy: none"), in: sandbox, environment: ["http_proxy": "127.0.0.1:9"], records: 5)
        #expect(service.origin.requests.count >= 7)
        #expect(service.origin.requests.allSatisfy { $0.headerFields[.proxyAuthorization] == nil })
        let plan = try await sandbox.siding("plan", environment: ["http_proxy": "ada:geheim@\(proxy)"])
        #expect(!plan.output.contains("network:"), "the config says none")
        try sandbox.config(config(service))
        let planned = try await sandbox.siding("plan", environment: ["http_proxy": "ada:geheim@\(proxy)"])
        #expect(planned.output.contains("    network: through the proxy \(proxy)\n"), "\(planned.everything)")
        let doctor = try await sandbox.siding("doctor", environment: ["http_proxy": "ada:geheim@\(proxy)"])
        #expect(doctor.output.contains("shop: through the proxy \(proxy)"), "\(doctor.everything)")
        #expect(!(planned.everything + doctor.everything).contains("geheim"))
        program.stop()
        await service.origin.stop()
    }

    @Test func `each refusal of a real proxy has its own message`() async throws {
        let (service, sandbox) = (try await Service.start(items: 5), try Sandbox())
        let (program, proxy) = try await Program.tinyproxy(in: sandbox, to: service.origin.url.port)
        let asked = try await failure(of: config(service, ", proxy: \"http://\(proxy)\""), in: sandbox)
        #expect(asked.status == 77, "\(asked)")
        #expect(asked.message.contains("the proxy wants credentials"), "\(asked)")
        #expect(asked.message.contains(": \(proxy) answered 407"), "\(asked)")
        let variables = ["http_proxy": "http://ada:geheim@\(proxy)"]
        let refused = try await failure(of: config(service, port: 9), in: sandbox, environment: variables)
        #expect(refused.status == 75, "\(refused)")
        #expect(refused.name == "proxyFault")
        #expect(refused.message.contains(": \(proxy): it did not connect to the origin"), "\(refused)")
        program.stop()
        let gone = try await failure(of: config(service), in: sandbox, environment: variables)
        #expect(gone.status == 75, "\(gone)")
        #expect(gone.name == "proxyUnreachable")
        #expect(gone.message.contains(": no connection to the proxy \(proxy)"), "\(gone)")
        let broken = try await failure(
            of: config(service), in: sandbox, environment: ["http_proxy": "socks5://canary@\(proxy)"])
        #expect(broken.status == 78, "\(broken)")
        #expect(service.origin.requests.isEmpty)
        await service.origin.stop()
    }

    @Test func `the credentials of a source pass no proxy unencrypted`() async throws {
        let (service, sandbox) = (try await Service.start(items: 5), try Sandbox())
        let config = config(service, more: ", auth: { type: bearer, token: { env: TOKEN } }")
        // Nobody listens there, so a request through it would fail.
        let variables = ["http_proxy": "127.0.0.1:9", "TOKEN": "canary"]
        try await expectSync(of: config, in: sandbox, environment: variables, records: 5)
        #expect(service.origin.requests.map { $0.headerFields[.authorization] } == ["Bearer canary"])
        let plan = try await sandbox.siding("plan", environment: variables)
        #expect(!plan.output.contains("proxy"), "\(plan.output)")
        await service.origin.stop()
    }

    // MARK: Certificates

    /// Makes `server.pem` for 127.0.0.1, `client.pem`, its key `client.key`, with a password `locked.key`, and `items`, an answer.
    private func makeFiles(in sandbox: Sandbox) async throws {
        for (name, days) in [("server", "400"), ("client", "10")] {
            let made = try await sandbox.run(
                "/usr/bin/openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                    "\(name).key", "-out", "\(name).pem", "-days", days, "-subj", "/CN=\(name)", "-addext",
                    "subjectAltName=IP:127.0.0.1",
                ])
            try #require(made.status == 0, "\(made.error)")
        }
        let locked = try await sandbox.run(
            "/usr/bin/openssl",
            ["pkcs8", "-topk8", "-in", "client.key", "-out", "locked.key", "-passout", "pass:geheim"])
        try #require(locked.status == 0, "\(locked.error)")
        let body = #"[{"id":1},{"id":2}]"#
        try sandbox.write(
            "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)",
            to: "items")
    }

    private func config(_ url: String, tls: String) -> String {
        """
        version: 1
        database: { path: test.db }
        sources: { shop: { base_url: "\(url)", retry: { inline: 0 }, tls: { \(tls) } } }
        resources: { items: { path: /items, key: id, paginate: none } }
        """
    }

    private static let trust = "ca_file: server.pem, only: true"

    @Test func `a server that asks for a certificate gets the one of the config`() async throws {
        let sandbox = try Sandbox()
        try await makeFiles(in: sandbox)
        try sandbox.write("geheim", to: "password")
        let both = ["client.pem", "client.key"].map { try? String(contentsOfFile: sandbox.file($0), encoding: .utf8) }
        try sandbox.write(both.compactMap(\.self).joined(), to: "both.pem")
        let (program, url) = try await Program.secureServer(in: sandbox)
        let locked = "certificate: client.pem, key: locked.key, key_password: "
        for client in [
            "certificate: client.pem, key: client.key", "certificate: both.pem", "\(locked){ env: KEY_PASSWORD }",
            "\(locked){ file: password }", "\(locked){ command: [cat, password] }",
            "certificate: client.pem, key: client.key, min_version: \"1.3\"",
        ] {
            try await expectSync(
                of: config(url, tls: "\(Self.trust), \(client)"), in: sandbox,
                environment: ["KEY_PASSWORD": "geheim"], records: 2)
        }
        let plan = try await sandbox.siding("plan", "--json").object()["network"]?.string
        #expect(
            plan
                == "trusts only \(sandbox.file("server.pem")), shows the certificate \(sandbox.file("client.pem"))")
        let doctor = try await sandbox.siding("doctor")
        #expect(doctor.status == 0, "\(doctor.everything)")
        let ends = /warn +network +shop: its client certificate ends 20[0-9-]+T[0-9:.]+Z, in [0-9]+ days/
        #expect(doctor.output.contains(ends), "\(doctor.output)")
        program.stop()
    }

    @Test func `a missing, wrong or locked certificate has its own message, and no terminal is prompted`()
        async throws
    {
        let sandbox = try Sandbox()
        try await makeFiles(in: sandbox)
        let (program, url) = try await Program.secureServer(in: sandbox)
        let own = "certificate: client.pem"
        let key = sandbox.file("locked.key")
        let cases: [(tls: String, status: Int32, name: String, words: String)] = [
            (Self.trust, 75, "tlsHandshake", "the origin asks for a client certificate"),
            (
                "\(Self.trust), certificate: server.pem, key: server.key", 75, "tlsHandshake",
                "the origin does not accept the client certificate"
            ),
            ("\(own), key: client.key", 75, "tlsUntrusted", "no trusted authority has signed it"),
            (
                "\(Self.trust), \(own), key: locked.key", 78, "credentialUnavailable",
                "'\(key)' holds no key in PEM, or one with a password"
            ),
            (
                "\(Self.trust), \(own), key: locked.key, key_password: { env: WRONG }", 78, "credentialUnavailable",
                "'\(key)' holds no key in PEM, or its password is another one"
            ),
            (
                "\(Self.trust), \(own), key: locked.key, key_password: { env: UMLAUT }", 78, "credentialUnavailable",
                "characters beyond ASCII"
            ),
            (
                "\(Self.trust), \(own), key: server.key", 78, "credentialUnavailable",
                "the key in '\(sandbox.file("server.key"))' is not that of the certificate"
            ),
            ("ca_file: none.pem", 78, "credentialUnavailable", "cannot be read: No such file or directory"),
        ]
        for example in cases {
            let told = try await failure(
                of: config(url, tls: example.tls), in: sandbox,
                environment: ["WRONG": "canary", "UMLAUT": "cänäry"])
            #expect(told.status == example.status, "\(example.tls): \(told)")
            #expect(told.name == example.name, "\(example.tls): \(told)")
            #expect(told.message.contains(example.words), "\(example.tls): \(told)")
        }
        let examined = try await sandbox.siding("doctor")
        #expect(examined.status == 78)
        #expect(examined.output.contains("none.pem' cannot be read"), "\(examined.output)")
        program.stop()
    }

    @Test func `a server of older TLS that asks for a certificate is reported as well`() async throws {
        let sandbox = try Sandbox()
        try await makeFiles(in: sandbox)
        let (program, url) = try await Program.secureServer(in: sandbox, "-no_tls1_3")
        let missing = try await failure(of: config(url, tls: Self.trust), in: sandbox)
        #expect(missing.name == "tlsHandshake")
        #expect(missing.message.contains("or asks for a client certificate"), "\(missing)")
        let client = "\(Self.trust), certificate: client.pem, key: client.key"
        try await expectSync(of: config(url, tls: client), in: sandbox, records: 2)
        let old = try await failure(of: config(url, tls: "\(client), min_version: \"1.3\""), in: sandbox)
        #expect(old.name == "tlsHandshake", "\(old)")
        #expect(old.message.contains("'tls: { min_version }' allows"), "\(old)")
        program.stop()
    }

    @Test func `the authorities that the environment names replace the system's`() async throws {
        let sandbox = try Sandbox()
        try await makeFiles(in: sandbox)
        let (program, url) = try await Program.secureServer(in: sandbox)
        let config = config(url, tls: "certificate: client.pem, key: client.key")
        let file = sandbox.file("server.pem")
        try await expectSync(of: config, in: sandbox, environment: ["SSL_CERT_FILE": file], records: 2)
        let plan = try await sandbox.siding("plan", environment: ["SSL_CERT_FILE": file])
        #expect(plan.output.contains("system's authorities: \(file)"), "\(plan.output)")
        let missing = try await failure(of: config, in: sandbox, environment: ["SSL_CERT_FILE": "/nowhere"])
        #expect(missing.status == 78, "\(missing)")
        #expect(missing.message.contains("see SSL_CERT_FILE and SSL_CERT_DIR"), "\(missing)")
        program.stop()
    }

    // MARK: Sockets and interfaces

    @Test func `a service behind a Unix socket is synced and written to like any other`() async throws {
        let sandbox = try Sandbox()
        let socket = try ListeningSocket(path: sandbox.file("service.sock"))
        let origin = try await Origin.start(on: socket) { request in
            .json(request.method == "GET" ? #"[{"id":1},{"id":2}]"# : "{}")
        }
        let config = """
            version: 1
            database: { path: test.db }
            sources: { shop: { base_url: "\(origin.url.origin)/v1.41", retry: { inline: 0 } } }
            resources: { items: { path: /items, key: id } }
            """
        try await expectSync(of: config, in: sandbox, environment: ["http_proxy": "127.0.0.1:9"], records: 2)
        #expect(try await sandbox.siding("send", "PUT", "shop:/items/1", "-d", "{}").status == 0)
        #expect(origin.requests.map(\.target) == ["/v1.41/items", "/v1.41/items/1"])
        #expect(origin.requests.allSatisfy { $0.headerFields[HTTPField.Name("Host")!] == "localhost" })
        let plan = try await sandbox.siding("plan")
        #expect(
            plan.output.contains("    network: through the socket \(sandbox.file("service.sock"))\n"), "\(plan.output)")
        await origin.stop()
        let gone = try await failure(of: config, in: sandbox)
        #expect(gone.status == 75, "\(gone)")
        #expect(gone.message.contains("connection refused"), "\(gone)")
    }

    @Test func `the interface, the compression and the name of the program are those of the config`() async throws {
        let (service, sandbox) = (try await Service.start(items: 5), try Sandbox())
        let encoding = HTTPField.Name.acceptEncoding
        let cases: [(http: String, agent: String, encoding: String)] = [
            ("", "siding", "identity"), ("interface: lo, compression: always", "siding", "gzip"),
            ("interface: 127.0.0.1, user_agent: kiosk/7, compression: never", "kiosk/7", "identity"),
        ]
        for example in cases {
            service.origin.forgetRequests()
            let source = example.http.isEmpty ? "" : "http: { \(example.http) }"
            try await expectSync(of: service.config(source: source), in: sandbox, records: 5)
            let fields = try #require(service.origin.requests.first).headerFields
            #expect(fields[.userAgent] == example.agent)
            #expect(fields[encoding] == example.encoding)
        }
        let source = "retry: { inline: 0 }, http: { interface: nowhere0 }"
        let missing = try await failure(of: service.config(source: source), in: sandbox)
        #expect(missing.status == 75, "\(missing)")
        #expect(missing.name == "noInternetConnection")
        #expect(missing.message.contains("the interface 'nowhere0' is missing or has no address"), "\(missing)")
        await service.origin.stop()
    }
}
