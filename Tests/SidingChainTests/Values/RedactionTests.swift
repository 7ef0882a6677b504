// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingNodes
import SidingTesting
import Testing

@Suite struct RedactionTests {
    @Test(arguments: [
        ("http://a/?token=canary&x=1", "http://a/?token=…&x=1"), ("http://a/?API_KEY=canary", "http://a/?API_KEY=…"),
        ("http://a/?to%6ben=canary", "http://a/?to%6ben=…"),
        ("http://a/?x=1&&sig=canary&sig=canary", "http://a/?x=1&&sig=…&sig=…"),
        ("http://a/?access_token=canary%26b", "http://a/?access_token=…"), ("http://a/token", "http://a/token"),
        ("http://a/?q=token", "http://a/?q=token"), ("http://a/?mine=canary", "http://a/?mine=…"),
        ("http://a/?accessToken=canary&app-id=canary", "http://a/?accessToken=…&app-id=…"),
        ("http://a/?jwt=canary&session=canary&sessions=1", "http://a/?jwt=…&session=…&sessions=1"),
    ])
    func `secrets in a query are not shown`(_ text: String, _ shown: String) throws {
        #expect(Redaction.url(try HTTPURL(text), also: ["mine"]) == shown)
    }

    /// The parameters that make a signed link good for whoever has it, as the object stores spell them.
    static let signed = [
        "X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token", "X-Goog-Signature", "X-Goog-Credential", "sig",
        "Signature", "AWSAccessKeyId", "GoogleAccessId", "x-oss-signature", "x-oss-security-token", "q-signature",
    ]

    @Test(arguments: signed)
    func `a failure does not show what a signed link is signed with`(_ name: String) async throws {
        let url = try HTTPURL("https://store.example/map.pbf?\(name)=canary&part=7")
        let transport = ScriptedTransport([.status(.forbidden), .failure(Failure(.connectionLost, phase: .maybeSent))])
        let assembly = ChainAssembly(transport: transport, connectivity: TestConnectivity())
        let chain = URLChainBuilder(assembly).route(.get, url).buildDataLoading(Void.self)
        for _ in 0..<2 {
            let failure = try #require(await chain.failure(()))
            #expect(failure.url == "https://store.example/map.pbf?\(name)=…&part=7")
            #expect(!String(reflecting: failure).contains("canary"))
        }
    }
}
