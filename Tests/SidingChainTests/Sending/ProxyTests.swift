// SPDX-License-Identifier: Apache-2.0
import SidingChain
import Testing

@Suite struct ProxyTests {
    // MARK: URLs

    @Test(
        arguments: [
            ("http://proxy.example:3128", "proxy.example:3128"), ("http://proxy.example:3128/", "proxy.example:3128"),
            ("proxy.example:3128", "proxy.example:3128"), ("HTTP://Proxy.Example", "proxy.example:80"),
            ("http://10.0.0.1:8080", "10.0.0.1:8080"), ("http://[2001:db8::1]:3128", "[2001:db8::1]:3128"),
            ("http://ada:geheim@proxy.example:3128", "proxy.example:3128"), ("ada@proxy.example", "proxy.example:80"),
        ] as [(String, String)])
    func `the URL of a proxy reads as host and port`(_ text: String, _ shown: String) throws {
        #expect("\(try Proxy(text))" == shown)
    }

    @Test(
        arguments: [
            ("http://ada:geheim@p", "ada", "geheim"), ("http://ada@p:1", "ada", ""),
            ("a%40b:c%3A%20d@p", "a@b", "c: d"),
            ("http://ada:p@ss:word@p", "ada", "p@ss:word"),
        ] as [(String, String, String)])
    func `the credentials of a proxy are percent-decoded, and never shown`(
        _ text: String, _ user: String, _ password: String
    ) async throws {
        let proxy = try Proxy(text)
        let credentials = try #require(proxy.credentials)
        #expect(credentials.user == user)
        #expect(try await credentials.password.read() == password)
        #expect(!"\(proxy) \(String(reflecting: proxy))".contains("geheim"))
    }

    @Test(arguments: [
        "https://canary:x@p:443", "socks5://canary@p", "socks5h://p", "http://", "http://canary:x@", "http://p:0",
        "http://p:99999", "http://p/canary", "http://p?canary", "http://p canary", "", "http://canary@p\r\nX: 1",
    ])
    func `text that is not a proxy is refused without being shown`(_ text: String) throws {
        let failure = try #require(throws: Failure.self) { try Proxy(text) }
        #expect(failure.reason == .invalidRequest)
        #expect(failure.phase == .notSent)
        #expect(!"\(failure)".contains("canary"))
    }

    // MARK: The environment

    struct Environment: Sendable, CustomTestStringConvertible {
        let variables: [String: String]
        let https: String?
        let http: String?
        var testDescription: String { variables.map { "\($0)=\($1)" }.sorted().joined(separator: " ") }

        init(_ variables: [String: String], https: String?, http: String?) {
            (self.variables, self.https, self.http) = (variables, https, http)
        }
    }

    static let environments = [
        Environment([:], https: nil, http: nil),
        Environment(["https_proxy": "http://a:1"], https: "a:1", http: nil),
        Environment(["HTTPS_PROXY": "http://a:1"], https: "a:1", http: nil),
        Environment(["https_proxy": "http://a:1", "HTTPS_PROXY": "http://b:1"], https: "a:1", http: nil),
        Environment(["http_proxy": "a:1"], https: nil, http: "a:1"),
        Environment(["HTTP_PROXY": "a:1"], https: nil, http: "a:1"),
        Environment(["all_proxy": "a:1"], https: "a:1", http: "a:1"),
        Environment(["ALL_PROXY": "a:1"], https: "a:1", http: "a:1"),
        Environment(["ALL_PROXY": "a:1", "https_proxy": "b:1"], https: "b:1", http: "a:1"),
        Environment(["ALL_PROXY": "a:1", "http_proxy": "b:1"], https: "a:1", http: "b:1"),
        // A client of a CGI program sets it with the field `Proxy`.
        Environment(["HTTP_PROXY": "a:1", "REQUEST_METHOD": "GET"], https: nil, http: nil),
        Environment(["http_proxy": "a:1", "REQUEST_METHOD": "GET"], https: nil, http: "a:1"),
        Environment(["HTTPS_PROXY": "a:1", "ALL_PROXY": "b:1", "REQUEST_METHOD": "GET"], https: "a:1", http: "b:1"),
        // `https_proxy= siding sync` switches it off for one command.
        Environment(["https_proxy": "", "HTTPS_PROXY": "a:1", "ALL_PROXY": "b:1"], https: nil, http: "b:1"),
        Environment(
            ["https_proxy": "a:1", "http_proxy": "a:1", "all_proxy": "socks5://b:1"], https: "a:1", http: "a:1"),
        Environment(["PROXY": "a:1", "ftp_proxy": "a:1", "Https_Proxy": "a:1"], https: nil, http: nil),
    ]

    @Test(arguments: environments) func `the environment names the proxies as it does for curl`(
        _ example: Environment
    ) throws {
        let rules = try ProxyRules(environment: example.variables)
        #expect(try rules.proxy(for: HTTPURL("https://x.example/"))?.description == example.https)
        #expect(try rules.proxy(for: HTTPURL("http://x.example/"))?.description == example.http)
    }

    @Test(arguments: ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"])
    func `a variable that cannot be read is named, and its text is not shown`(_ name: String) throws {
        let failure = try #require(throws: Failure.self) {
            try ProxyRules(environment: [name: "socks5://canary:canary@proxy"])
        }
        #expect(
            failure.detail?.hasPrefix("the environment variable \(name): the URL of the proxy cannot be used") == true)
        #expect(!"\(failure)".contains("canary"))
    }

    // MARK: Exceptions

    /// An entry of `no_proxy`, hosts that it covers, and hosts that it does not.
    static let exceptions: [(entry: String, direct: [String], proxied: [String])] = [
        ("*", ["a.example", "10.0.0.1", "[2001:db8::1]"], []),
        (
            "a.example", ["a.example", "b.a.example", "A.EXAMPLE", "a.example.", "a.example:8443"],
            ["xa.example", "a.example.net", "example"]
        ),
        (".a.example", ["a.example", "b.a.example", "c.b.a.example"], ["xa.example"]),
        ("*.a.example", ["a.example", "b.a.example"], ["xa.example"]),
        ("A.Example.", ["a.example", "b.a.example"], ["a.example.net"]),
        ("a.example:8443", ["a.example:8443", "b.a.example:8443"], ["a.example", "a.example:8444"]),
        ("a.example:443", ["a.example"], ["a.example:8443"]),
        ("*:8443", ["x.example:8443", "10.0.0.1:8443"], ["x.example"]),
        ("10.0.0.1", ["10.0.0.1", "10.0.0.1:8443"], ["10.0.0.10", "10.0.0.1.example", "a10.0.0.1"]),
        ("10.0.0.1:8443", ["10.0.0.1:8443"], ["10.0.0.1"]),
        ("10.0.0.0/8", ["10.0.0.1", "10.255.255.255"], ["11.0.0.1", "9.255.255.255", "10.example"]),
        ("192.168.16.0/20", ["192.168.16.1", "192.168.31.255"], ["192.168.32.1", "192.168.15.255"]),
        ("10.1.2.3/32", ["10.1.2.3"], ["10.1.2.2"]),
        ("0.0.0.0/0", ["10.1.2.3", "192.0.2.1"], ["a.example", "[2001:db8::1]"]),
        ("2001:db8::1", ["[2001:db8::1]", "[2001:db8:0:0::1]", "[2001:db8::1]:8443"], ["[2001:db8::2]", "10.0.0.1"]),
        ("[2001:db8::1]", ["[2001:db8::1]"], ["[2001:db8::2]"]),
        ("[2001:db8::1]:8443", ["[2001:db8::1]:8443"], ["[2001:db8::1]", "[2001:db8::1:8443]"]),
        ("2001:db8::/32", ["[2001:db8::1]", "[2001:db8:ffff::1]"], ["[2001:db9::1]"]),
        ("[2001:db8::]/32", ["[2001:db8::1]"], ["[2001:db9::1]"]),
        // None of these is an exception.
        ("10.0.0.0/33", [], ["10.0.0.1"]), ("10.0.0.0/x", [], ["10.0.0.1"]), ("10.0.0.0/-1", [], ["10.0.0.1"]),
        ("a.example/8", [], ["a.example"]), (".", [], ["a.example"]), ("*.", [], ["a.example"]),
        ("https://a.example", [], ["a.example"]), ("", [], ["a.example"]),
    ]

    @Test(arguments: exceptions.indices) func `a host that no_proxy covers is reached directly`(_ index: Int) throws {
        let example = Self.exceptions[index]
        for rules in try [
            ProxyRules(environment: ["https_proxy": "p:1", "no_proxy": example.entry]),
            ProxyRules(environment: ["HTTPS_PROXY": "p:1", "NO_PROXY": "x.invalid, \(example.entry)\t,,y.invalid"]),
        ] {
            for host in example.direct {
                #expect(try rules.proxy(for: HTTPURL("https://\(host)/")) == nil, "\(example.entry): \(host)")
            }
            for host in example.proxied {
                #expect(try rules.proxy(for: HTTPURL("https://\(host)/")) != nil, "\(example.entry): \(host)")
            }
        }
    }

    @Test func `no_proxy in lower case comes first, even where it is empty`() throws {
        let rules = try ProxyRules(environment: ["https_proxy": "p:1", "no_proxy": "", "NO_PROXY": "*"])
        #expect(try rules.proxy(for: HTTPURL("https://a.example/")) != nil)
    }

    @Test(arguments: [
        "https://localhost/", "http://127.0.0.1:8080/", "http://127.9.9.9/", "https://[::1]/",
        "http+unix://%2Frun%2Fa.sock/",
    ])
    func `this machine is never reached through a proxy`(_ url: String) throws {
        #expect(ProxyRules(try Proxy("p:1")).proxy(for: try HTTPURL(url)) == nil)
    }

    @Test func `credentials that come from the same place are equal, with any value`() throws {
        func secret(_ place: String, _ text: String) -> TransportSecret {
            TransportSecret(place) { () async throws(Failure) in text }
        }
        func proxy(_ secret: TransportSecret) throws -> Proxy {
            try Proxy("p:1", credentials: Proxy.Credentials(user: "ada", password: secret))
        }
        #expect(try proxy(secret("env A", "1")) == proxy(secret("env A", "2")))
        #expect(try proxy(secret("env A", "1")) != proxy(secret("env B", "1")))
        #expect("\(secret("env A", "canary"))" == "env A")
    }
}
