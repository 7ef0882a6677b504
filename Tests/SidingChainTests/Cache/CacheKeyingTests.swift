// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingNodes
import Testing

@Suite struct CacheKeyingTests {
    private let keying = CacheKeying(
        account: "ann", secretQueryNames: ["secret_key", "token"], plainQueryNames: ["code"],
        credentialFieldNames: [HTTPField.Name("X-API-Key")!])

    private func url(_ text: String) throws -> String {
        try keying.request(HTTPURL(text).request(.get)).key.url
    }

    private func refusal(_ request: HTTPRequest) -> Failure? {
        do {
            _ = try keying.request(request)
            return nil
        } catch { return error }
    }

    @Test(arguments: [
        ("https://A.example.org:443/p", "https://a.example.org/p"),
        ("http://a:8080", "http://a:8080/"),
        ("http://a/?b=2&a=1", "http://a/?a=1&b=2"),
        ("http://a/?a=2&b=1&a=1", "http://a/?a=2&a=1&b=1"),
        ("http://a/?b=1&a=2&%61=1", "http://a/?a=2&%61=1&b=1"),
        ("http://a/?b&a=&", "http://a/?a=&b"),
        ("http://a/?a=1#there", "http://a/?a=1"),
        ("http://a/?b=1&access_token=canary&secret_key=canary&a=1", "http://a/?a=1&b=1"),
        ("http://a/?API_KEY=canary&secret%5Fkey=canary&token=canary", "http://a/"),
        ("http://a/?code=DE", "http://a/?code=DE"),
    ])
    func `a URL is written in its canonical form`(_ written: String, _ key: String) throws {
        #expect(try url(written) == key)
    }

    @Test func `the order of parameters of one name counts, in any spelling`() throws {
        #expect(try url("http://a/?a=1&%61=2") != url("http://a/?%61=2&a=1"))
        #expect(try url("http://a/?a=1&a=2") != url("http://a/?a=2&a=1"))
    }

    @Test func `no credential is part of the key or of the fields to vary on`() throws {
        let fields: HTTPFields = [
            .authorization: "canary", .proxyAuthorization: "canary", .cookie: "canary", .acceptLanguage: "de",
            HTTPField.Name("x-api-key")!: "canary",
        ]
        let request = try keying.request(HTTPURL("http://a/?signature=canary").request(.get, headerFields: fields))
        #expect(!"\(request)".contains("canary"))
        #expect(request.headerFields[.acceptLanguage] == "de")
        #expect(request.key == CacheKey(account: "ann", method: "GET", url: "http://a/"))
    }

    @Test(arguments: CacheKeying.ambiguousQueryNames.sorted())
    func `a parameter that may be a credential or change the answer is refused until it is declared`(
        _ name: String
    ) throws {
        let request = try HTTPURL("http://a/?\(name)=canary").request(.get)
        let refused = #expect(throws: Failure.self) { try CacheKeying(account: "").request(request) }
        #expect(refused?.reason == .notCached)
        #expect(refused?.description.contains("'\(name)' may be a credential") == true)
        #expect(refused?.description.contains("canary") == false)
        let secret = CacheKeying(account: "", secretQueryNames: [name])
        #expect(try secret.request(request).key.url == "http://a/")
        let both = CacheKeying(account: "", secretQueryNames: [name], plainQueryNames: [name])
        #expect(try both.request(request).key.url == "http://a/")
        let plain = CacheKeying(account: "", plainQueryNames: [name])
        #expect(try plain.request(request).key.url == "http://a/?\(name)=canary")
    }

    @Test func `only whole answers to GET and HEAD have a key`() throws {
        let url = try HTTPURL("http://a/")
        for method in [HTTPRequest.Method.post, .put, .patch, .delete, .options] {
            #expect(refusal(url.request(method))?.reason == .notCached)
        }
        #expect(refusal(url.request(.get, headerFields: [.range: "bytes=0-1"]))?.reason == .notCached)
        #expect(refusal(url.request(.get, headerFields: [.cacheControl: "a, No-Store"]))?.reason == .notCached)
        #expect(try keying.request(url.request(.head)).key != keying.request(url.request(.get)).key)
    }
}
