// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingCredentials
import Testing

@testable import Siding

/// Whether there is a route to a source is asked of what its requests connect to.
@Suite struct SourceRouteTests {
    /// A network in which one host alone has a route.
    private struct OneHost: Connectivity {
        let host: String

        func hasUsableRoute() -> Bool { false }
        func hasUsableRoute(to host: String) -> Bool { host == self.host }
    }

    @Test(arguments: [
        ("https://api.example.com", ProxyRules(), Authorization.none, "api.example.com"),
        ("https://api.example.com", proxied(), .none, "10.0.0.1"),
        ("https://api.example.com", proxied(but: "example.com"), .none, "api.example.com"),
        ("http://api.example.com", proxied(), .none, "10.0.0.1"),
        // Credentials pass no proxy unencrypted.
        ("http://api.example.com", proxied(), .bearer(Secret("test") { "secret" }), "api.example.com"),
        ("http://127.0.0.1:8080", proxied(), .none, "127.0.0.1"),
    ])
    func `a source is reachable if its proxy is, or if it has none, its origin`(
        url: String, proxies: ProxyRules, authorization: Authorization, host: String
    ) throws {
        let source = Source(
            name: "s", baseURL: try HTTPURL(url), authorization: authorization,
            transport: TransportSettings().with(\.proxies, proxies))
        #expect(source.isReachable(by: OneHost(host: host)))
        #expect(!source.isReachable(by: OneHost(host: "elsewhere.example")))
    }

    private static func proxied(but exception: String? = nil) -> ProxyRules {
        guard let proxy = try? Proxy("http://10.0.0.1:3128") else { return ProxyRules() }
        return ProxyRules(proxy, exceptions: exception.map { [$0] } ?? [])
    }
}
