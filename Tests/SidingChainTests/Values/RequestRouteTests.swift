// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import Testing

@Suite struct RequestRouteTests {
    @Test func `placeholders are filled in, encoded`() throws {
        let base = try HTTPURL("http://a/v2")
        let route = try RequestRoute(
            .get, "/r/{owner}/i/{n}?q=1", under: base, parameters: ["owner": "ż/x?&", "n": "7"])
        #expect(route.url.description == "http://a/v2/r/%C5%BC%2Fx%3F%26/i/7?q=1")
        #expect(route.method == .get)
    }

    @Test func `a placeholder without a value names itself`() throws {
        let base = try HTTPURL("http://a")
        let failure = try #require(throws: Failure.self) { try RequestRoute(.get, "/i/{number}", under: base) }
        #expect(failure.reason == .invalidRequest)
        #expect(failure.phase == .notSent)
        #expect(failure.detail?.contains("{number}") == true)
    }

    @Test(arguments: ["", ".", ".."]) func `a value that would name another path is refused`(_ value: String) throws {
        let base = try HTTPURL("http://a/v2")
        #expect(throws: Failure.self) {
            try RequestRoute(.delete, "/issues/{n}", under: base, parameters: ["n": value])
        }
    }

    @Test func `a template that is not a path is refused`() throws {
        let base = try HTTPURL("http://a")
        #expect(throws: Failure.self) { try RequestRoute(.get, "/a\r\nb", under: base) }
    }
}
