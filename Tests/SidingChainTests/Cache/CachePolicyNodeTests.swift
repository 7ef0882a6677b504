// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingNodes
import SidingTesting
import Testing

@Suite struct CachePolicyNodeTests {
    private static func draft() throws -> RequestDraft { try CacheBench.draft() }

    @Test func `offline, the stored answer has its source and age, and the failure of the request`() async throws {
        let bench = CacheBench([.tagged("[1]", "a"), .offline])
        let first = try await bench.policy(.serverIfFailsCache).process(Self.draft(), .test)
        #expect(first.body == "[1]")
        #expect(first.source == .server)
        #expect(first.failure == nil)
        bench.time.advance(by: 90)
        let second = try await bench.policy(.serverIfFailsCache).process(Self.draft(), .test)
        #expect(second.body == "[1]")
        #expect(second.source == .cache(age: .seconds(90), storedAt: 1_700_000_000, isFresh: false))
        #expect(second.failure?.reason == .noInternetConnection)
        #expect(second.failure?.url == "https://api.example.org/posts")
    }

    @Test func `a body that breaks off is answered from the cache too`() async throws {
        let cut = ScriptedAnswer.reply(
            HTTPResponse(status: .ok), chunks: [[0x5B]], ending: Failure(.connectionLost, phase: .maybeSent))
        let bench = CacheBench([.tagged("[1]", "a"), cut])
        try await bench.ask()
        let answer = try await bench.policy(.serverIfFailsCache).process(Self.draft(), .test)
        #expect(answer.body == "[1]")
        #expect(answer.failure?.reason == .truncated)
    }

    @Test(arguments: [401, 403, 404, 422])
    func `the cache never hides the origin's own answer`(_ status: Int) async throws {
        let bench = CacheBench([.tagged("[1]", "a"), .status(.init(code: status))])
        try await bench.ask()
        let failure = try #require(await bench.policy(.serverIfFailsCache).failure(Self.draft()))
        #expect(failure.reason == .http(HTTPFailure(status: status)))
    }

    @Test func `an answer that breaks its contract is never hidden by the cache`() async throws {
        let bench = CacheBench([.tagged("[1]", "a"), .tagged("[2]", "b")])
        try await bench.ask()
        let strict = CacheBench.Decode { loaded, _ throws(Failure) in
            guard loaded.text != "[2]" else { throw Failure(.contract, phase: .answered) }
            return loaded.text
        }
        #expect(
            await bench.policy(.serverIfFailsCache, decode: strict).failure(try Self.draft())?.reason == .contract)
    }

    @Test func `with nothing stored the failure is the origin's`() async throws {
        let bench = CacheBench([.offline])
        #expect(
            await bench.policy(.serverIfFailsCache).failure(try Self.draft())?.reason == .noInternetConnection)
    }

    @Test func `a stored answer that can no longer be decoded is as none`() async throws {
        let bench = CacheBench([.tagged("[1]", "a"), .offline])
        try await bench.ask()
        let newer = CacheBench.Decode { _, _ throws(Failure) in throw Failure(.contract, phase: .answered) }
        let policy = bench.policy(.serverIfFailsCache, decode: newer)
        #expect(await policy.failure(try Self.draft())?.reason == .noInternetConnection)
        #expect(await bench.policy(.cacheOnly, decode: newer).failure(try Self.draft())?.reason == .contract)
    }

    @Test func `a cache that fails does not hide the origin's failure`() async throws {
        let bench = CacheBench(cache: BrokenCache(), [.offline])
        #expect(
            await bench.policy(.serverIfFailsCache).failure(try Self.draft())?.reason == .noInternetConnection)
        let failure = try #require(await bench.policy(.cacheOnly).failure(Self.draft()))
        #expect(failure.reason == .notCached)
        #expect(failure.description.contains("the disk is gone"))
    }

    @Test func `cacheOnly never touches the network`() async throws {
        let bench = CacheBench([.tagged("[1]", "a")])
        let missing = try #require(await bench.policy(.cacheOnly).failure(Self.draft()))
        #expect(missing.reason == .notCached)
        #expect(missing.phase == .notSent)
        #expect(missing.description == "no stored answer to this request (GET https://api.example.org/posts)")
        #expect(bench.asked.isEmpty)
        try await bench.ask()
        bench.time.advance(by: 3_600)
        let answer = try await bench.policy(.cacheOnly).process(Self.draft(), .test)
        #expect(answer.body == "[1]")
        #expect(answer.source == .cache(age: .seconds(3_600), storedAt: 1_700_000_000, isFresh: false))
        #expect(bench.asked.count == 1)
    }

    @Test func `serverOnly never answers from the cache`() async throws {
        let bench = CacheBench([.tagged("[1]", "a", [.cacheControl: "max-age=60"]), .offline])
        let policy = bench.policy(.serverOnly, skipsServerWhileFresh: true)
        #expect(try await policy.process(Self.draft(), .test).source == .server)
        #expect(await policy.failure(try Self.draft())?.reason == .noInternetConnection)
    }

    @Test func `an answer confirmed by the origin counts as the server's`() async throws {
        let bench = CacheBench([.tagged("[1]", "a"), .status(.notModified)])
        try await bench.ask()
        let answer = try await bench.policy(.serverIfFailsCache).process(Self.draft(), .test)
        #expect(answer.body == "[1]")
        #expect(answer.source == .server)
    }

    @Test func `a request is sent also while the answer is fresh, unless that is declared needless`() async throws {
        let answers = (1...3).map { ScriptedAnswer.text("[\($0)]", headerFields: [.cacheControl: "max-age=60"]) }
        let bench = CacheBench(answers)
        try await bench.ask()
        #expect(try await bench.policy(.serverIfFailsCache).process(Self.draft(), .test).body == "[2]")
        bench.time.advance(by: 59)
        let sparing = bench.policy(.serverIfFailsCache, skipsServerWhileFresh: true)
        let fresh = try await sparing.process(Self.draft(), .test)
        #expect(fresh.body == "[2]")
        #expect(fresh.source == .cache(age: .seconds(59), storedAt: 1_700_000_000, isFresh: true))
        #expect(fresh.failure == nil)
        bench.time.advance(by: 1)
        #expect(try await sparing.process(Self.draft(), .test).body == "[3]")
    }

    @Test func `a cancelled call is not answered from the cache`() async throws {
        let bench = CacheBench([.tagged("[1]", "a"), .failure(Failure(.cancelled, phase: .maybeSent))])
        try await bench.ask()
        #expect(await bench.policy(.serverIfFailsCache).failure(try Self.draft())?.reason == .cancelled)
    }

    @Test func `a value can be turned into another without losing its source`() throws {
        let failure = Failure(.temporaryDNS, phase: .notSent)
        var two = ChainResponse(
            response: HTTPResponse(status: .ok), body: 2, url: try HTTPURL("http://a"),
            source: .cache(age: .zero, storedAt: 1, isFresh: true))
        two.failure = failure
        let answer = two.map { $0 * 2 }
        #expect(answer.body == 4)
        #expect(answer.source.isFresh)
        #expect(answer.failure?.reason == .temporaryDNS)
    }

    @Test func `the steps show both tracks, then the decoding`() {
        let bench = CacheBench([])
        let node = CachePolicyNode(
            .cacheOnly, server: bench.server, cached: bench.cached, decode: CacheBench.text)
        #expect(
            node.steps == [
                "CachePolicyNode(\(bench.server.description) | \(bench.cached.description))", "Step",
            ])
    }
}
