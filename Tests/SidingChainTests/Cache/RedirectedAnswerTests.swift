// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingNodes
import Testing

/// Answers that come from elsewhere than they were asked for.
@Suite struct RedirectedAnswerTests {
    /// An origin whose answers come from the URLs given, one after the other.
    private func sender(
        _ bench: CacheBench, _ answers: [(url: String, status: Int)]
    ) -> some Node<OutgoingRequest, Reply> {
        let calls = Counter()
        let redirecting = Step<OutgoingRequest, Reply> { input, _ throws(Failure) in
            let answer = answers[calls.next() - 1]
            return Reply(
                response: HTTPResponse(status: .init(code: answer.status), headerFields: [.eTag: "1"]),
                body: .bytes(Array("\(calls.count)".utf8)), url: try HTTPURL(answer.url))
        }
        return ETagNode(redirecting, cache: bench.cache, keying: bench.keying)
    }

    private func ask(_ node: some Node<OutgoingRequest, Reply>) async throws -> String {
        let outgoing = try await RequestCreatorNode().process(CacheBench.draft(), .test)
        let body = try await node.process(outgoing, .test).body.collect(upTo: 100)
        return String(decoding: body, as: UTF8.self)
    }

    @Test func `a 304 from another place than the stored answer confirms nothing`() async throws {
        let bench = CacheBench([])
        let node = sender(
            bench,
            [
                ("https://api.example.org/v1?access_token=canary", 200), ("https://api.example.org/v1", 304),
                ("https://api.example.org/v2", 304), ("https://api.example.org/v2", 200),
            ])
        #expect(try await ask(node) == "1")
        #expect(try await ask(node) == "1")
        #expect(try await ask(node) == "4")
        #expect(try await bench.cache.head(for: .posts)?.url == "https://api.example.org/v2")
    }

    @Test func `a stored answer has its URL, without credentials`() async throws {
        let bench = CacheBench([])
        _ = try await ask(sender(bench, [("https://api.example.org/v1?access_token=canary&a=1", 200)]))
        #expect(
            try await bench.cached.process(CacheBench.draft(), .test).url.description
                == "https://api.example.org/v1?a=1")
    }

    @Test(arguments: [
        "https://elsewhere.org/posts", "http://api.example.org/posts", "https://api.example.org.evil/posts",
    ])
    func `an answer of another origin is not stored`(_ url: String) async throws {
        let bench = CacheBench([])
        _ = try await ask(sender(bench, [(url, 200)]))
        #expect(try await bench.stored() == nil)
    }
}
