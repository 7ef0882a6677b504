// SPDX-License-Identifier: Apache-2.0
@testable import Siding
import SidingChain
import Testing

@Suite struct PathPatternTests {
    @Test(arguments: [
        ("**", "/", true), ("**", "/a/b/c", true), ("/**", "/", true), ("/**", "/a/b", true),
        ("/search", "/search", true), ("/search", "/search/", false), ("/search", "/searches", false),
        ("/search/**", "/search", true), ("/search/**", "/search/", true), ("/search/**", "/search/a/b", true),
        ("/search/**", "/searches", false), ("/search/**", "/x/search/a", false),
        ("/search/*", "/search/a", true), ("/search/*", "/search/a/b", false), ("/search/*", "/search", false),
        ("/*/export", "/a/export", true), ("/*/export", "/a/b/export", false), ("/*/export", "/export", false),
        ("**/export", "/a/b/export", true), ("**/export", "/export", true), ("**/export", "/export/1", false),
        ("/a/**/z", "/a/z", true), ("/a/**/z", "/a/b/c/z", true), ("/a/**/z", "/a/b/c/y", false),
        ("/v*/items", "/v2/items", true), ("/v*/items", "/v/items", true), ("/v*/items", "/w2/items", false),
        ("/a*b*c", "/abc", true), ("/a*b*c", "/aXXbYYc", true), ("/a*b*c", "/aXXbYY", false),
        ("/**/a/**/b", "/x/a/y/a/b", true), ("/**/a/**/b", "/x/b/y/a", false),
        ("/caf%C3%A9", "/caf%C3%A9", true), ("/Search", "/search", false), ("/", "/", true), ("/", "/a", false),
    ])
    func `a pattern fits paths segment by segment`(_ pattern: String, _ path: String, _ fits: Bool) throws {
        #expect(try PathPattern(pattern).fits(path) == fits)
    }

    @Test(arguments: ["", "search/**", "/a?b=1", "/a#b", "/a b", "/café", "/a**", "/**a/b", "*"])
    func `text that is not a pattern is refused with the reason`(_ pattern: String) {
        let error = #expect(throws: Failure.self) { try PathPattern(pattern) }
        #expect(error?.reason == .invalidRequest)
        #expect(error?.detail?.isEmpty == false)
    }

    @Test func `a pattern of all differs from others`() throws {
        #expect(try PathPattern("**").isOfAll && PathPattern("/**").isOfAll)
        #expect(try !PathPattern("/a/**").isOfAll && !PathPattern("**/a").isOfAll)
    }

    @Test func `a pattern full of wild parts takes no time`() throws {
        let pattern = try PathPattern(String(repeating: "/**/a*a*a*a", count: 40) + "/b")
        #expect(!pattern.fits(String(repeating: "/aaaaaaaaaaaaaaaa", count: 400)))
    }

    @Test(
        arguments: [
            ("https://a.test/v1", "https://a.test/v1/x/y?q=1", "/x/y"),
            ("https://a.test/v1/", "https://a.test/v1/x", "/x"),
            ("https://a.test/v1", "https://a.test/v1", "/"), ("https://a.test/v1", "https://a.test/v10/x", "/v10/x"),
            ("https://a.test/v1", "https://a.test/other", "/other"), ("https://a.test", "https://a.test/x", "/x"),
            ("https://a.test", "https://b.test/x", nil), ("https://a.test", "https://a.test:444/x", nil),
        ] as [(String, String, String?)])
    func `the path is the one below the base URL`(_ base: String, _ url: String, _ path: String?) throws {
        #expect(try Source(name: "a", baseURL: HTTPURL(base)).path(of: HTTPURL(url)) == path)
    }
}
