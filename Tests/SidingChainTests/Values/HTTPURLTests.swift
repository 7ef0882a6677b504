// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import Testing

@Suite struct HTTPURLTests {
    @Test func `a transport has the URL of a request head`() throws {
        let url = try HTTPURL("https://example.com:8443/posts?page=2")
        #expect(try HTTPURL(of: url.request(.get)) == url)
        #expect(throws: Failure.self) {
            try HTTPURL(of: HTTPRequest(method: .get, scheme: "ftp", authority: "example.com", path: "/"))
        }
    }

    @Test(arguments: [
        ("http://a.example", "http://a.example/"), ("HTTP://A.Example/B", "http://a.example/B"),
        ("https://a.example:443/x", "https://a.example/x"), ("http://a.example:80", "http://a.example/"),
        ("https://a.example:80/", "https://a.example:80/"), ("http://[::1]:80/", "http://[::1]/"),
        ("http://[::1]:8080/a", "http://[::1]:8080/a"), ("http://[2001:DB8::1]/", "http://[2001:db8::1]/"),
        ("http://a.example:1/", "http://a.example:1/"), ("http://a.example:65535/", "http://a.example:65535/"),
        ("http://a.example/p?q=1#fragment", "http://a.example/p?q=1"),
        ("http://a.example?q=1", "http://a.example/?q=1"),
        ("http://a.example/a%2Fb?x=%20%2B", "http://a.example/a%2Fb?x=%20%2B"),
        ("http://a.example/?", "http://a.example/?"),
        ("http://a.example:/", "http://a.example/"), ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/"),
    ])
    func `a URL reads as it will be requested`(_ text: String, _ shown: String) throws {
        let url = try HTTPURL(text)
        #expect(url.description == shown)
        #expect(try HTTPURL(shown) == url, "and reads the same again")
    }

    @Test(arguments: [
        "http://a.example:0/", "http://a.example:65536/", "http://a.example:99999999999999999999/",
        "http://a.example:-1/",
        "http://a.example:8a/", "http://[::1]:0/", "http://[::1]:65536/", "http://[::1]:99999999999999999999/",
        "http://a.example:65536", "http://a.example:65536?x=1", "http://a.example:99999999999999999999?x=1",
        "http://a.example:99999999999999999999#x",
    ])
    func `a port that cannot be is refused`(_ text: String) { Self.refuses(text) }

    @Test(arguments: [
        "", " ", "a.example", "/path", "//a.example/", "http://", "http:///path", "http://:80/", "http:a.example",
        "http:/",
        "ftp://a.example/", "file:///etc/passwd", "mailto:a@a.example", "javascript:alert(1)", "https//a.example",
        "http+unix://a/", "://a.example/", "http://[::1", "http://[]/", "http://[::1]x/",
    ])
    func `text that is not an absolute http URL is refused`(_ text: String) { Self.refuses(text) }

    @Test(arguments: [
        "http://a.example/\r\nX: 1", "http://a.example/\n", "http://a.example/ x", "http://a.example/\u{0}",
        " http://a.example/",
        "http://a.example/\t", "http://a.exa\u{7f}mple/", "http://a.example\r\n.evil/", "http://a.example/?a=\r",
    ])
    func `control characters and spaces are refused`(_ text: String) { Self.refuses(text) }

    @Test(arguments: [
        "http://user@a.example/", "http://user:canary@a.example/", "http://:canary@a.example/", "http://@a.example/",
        "https://canary%40x:y@a.example/",
    ])
    func `user information is refused without being shown`(_ text: String) throws {
        let failure = try #require(throws: Failure.self) { try HTTPURL(text) }
        #expect(failure.reason == .invalidRequest)
        #expect(failure.phase == .notSent)
        #expect(!"\(failure)".contains("canary"))
    }

    @Test(arguments: [
        "http://a.example:65536/p?canary", "http://a.example/p x?token=canary", "ftp://a.example/p?x=canary",
        "http://u:canary@a.example:0/p?canary", "nothing?canary", "http://a b/?canary#canary", "http://a:0/#canary",
        "http://a:0/p;canary?canary?canary",
    ])
    func `a refused URL is shown without its query`(_ text: String) throws {
        let failure = try #require(throws: Failure.self) { try HTTPURL(text) }
        #expect(failure.detail?.contains(text.contains("?") ? "?…" : "#…") == true)
        #expect(!String(reflecting: failure).contains("?canary"))
        #expect(!String(reflecting: failure).contains("#canary"))
        #expect(!String(reflecting: failure).contains("=canary"))
    }

    @Test(arguments: [
        "http://%31%32%37.0.0.1/", "http://a%2eexample/", "http://a.example%00/", "http://a.example%0d%0a/",
    ])
    func `a host that hides behind percent codes is refused`(_ text: String) { Self.refuses(text) }

    @Test func `a URL of unreasonable length is refused`() {
        Self.refuses("http://a.example/" + String(repeating: "x", count: 70_000))
    }

    /// RFC 3986 §5.4.1, against its own base, without the references that leave http.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"),
        ("g#s", "http://a/b/c/g"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"),
        ("../..", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("http://x/y", "http://x/y"),
        ("https://x:8443/y?z", "https://x:8443/y?z"),
    ])
    func `a reference resolves as RFC 3986 says`(_ reference: String, _ expected: String) throws {
        #expect(try HTTPURL("http://a/b/c/d;p?q").resolve(reference).description == expected)
    }

    @Test(arguments: ["http://h:65536/", "//h:0/", "ftp://h/", "http://u:p@h/", "g\r\nX: 1", "//", "http://"])
    func `a reference that leads nowhere is refused`(_ reference: String) throws {
        let base = try HTTPURL("http://a/b")
        #expect(throws: Failure.self) { try base.resolve(reference) }
    }

    @Test(arguments: [
        ("http://localhost/", true), ("http://127.0.0.1/", true), ("http://127.255.0.9:81/", true),
        ("http://[::1]/", true),
        ("http://127.evil.example/", false), ("http://127.0.0.1.evil.example/", false),
        ("http://localhost.evil.example/", false),
        ("http://127.0.0/", false), ("http://127.0.0.256/", false), ("http://10.0.0.1/", false),
        ("http://[::2]/", false),
    ])
    func `only this machine is loopback`(_ text: String, _ expected: Bool) throws {
        #expect(try HTTPURL(text).isLoopback == expected)
    }

    @Test(arguments: [
        ("http://a/v2", "/issues", "http://a/v2/issues"), ("http://a/v2/", "issues", "http://a/v2/issues"),
        ("http://a/v2/", "/issues", "http://a/v2/issues"), ("http://a", "issues", "http://a/issues"),
        ("http://a/v2", "", "http://a/v2"), ("http://a/v2?k=1", "/x?y=2", "http://a/v2/x?k=1&y=2"),
        ("http://a/v2", "?y=2", "http://a/v2?y=2"), ("http://a/v2?k=1", "/x", "http://a/v2/x?k=1"),
    ])
    func `a path is appended below the base`(_ base: String, _ path: String, _ expected: String) throws {
        #expect(try HTTPURL(base).appending(path: path).description == expected)
    }

    @Test func `origin and authority leave out the scheme's own port`() throws {
        #expect(try HTTPURL("https://a:443/x").origin == "https://a")
        #expect(try HTTPURL("https://a:444/x").authority == "a:444")
        #expect(try HTTPURL("http://[::1]:99/").authority == "[::1]:99")
    }

    @Test func `a request carries its URL and gives it back checked`() throws {
        let url = try HTTPURL("https://a.example:8443/p?q=1")
        let request = url.request(.post, headerFields: [.accept: "x"])
        #expect(request.authority == "a.example:8443")
        #expect(request.path == "/p?q=1")
        #expect(try request.checkedURL() == url)
        #expect(throws: Failure.self) {
            try HTTPRequest(method: .get, scheme: "http", authority: "h:65536", path: "/").checkedURL()
        }
    }

    static func refuses(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let failure = #expect(throws: Failure.self, sourceLocation: sourceLocation) { try HTTPURL(text) }
        #expect(failure?.reason == .invalidRequest, sourceLocation: sourceLocation)
        #expect(failure?.phase == .notSent, sourceLocation: sourceLocation)
    }
}
