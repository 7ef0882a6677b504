// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingNodes
import SidingTesting
import Testing

@Suite struct CacheThenServerNodeTests {
    /// The answers of one call, and the failure that ended them.
    private func answers(
        _ node: some Node<RequestDraft, ResponseSequence<String?>>
    ) async throws -> ([ChainResponse<String?>], Failure?) {
        var answers: [ChainResponse<String?>] = []
        do {
            for try await answer in try await node.process(CacheBench.draft(), .test) { answers.append(answer) }
        } catch {
            return (answers, error as? Failure)
        }
        return (answers, nil)
    }

    @Test func `the stored answer comes first, then the origin's, with different sources`() async throws {
        let bench = CacheBench([.tagged("[1]", "a"), .tagged("[2]", "b")])
        try await bench.ask()
        bench.time.advance(by: 5)
        let (answers, failure) = try await answers(bench.cacheThenServer())
        #expect(answers.map(\.body) == ["[1]", "[2]"])
        #expect(
            answers.map(\.source) == [.cache(age: .seconds(5), storedAt: 1_700_000_000, isFresh: false), .server])
        #expect(failure == nil)
    }

    @Test func `the stored answer does not wait for the origin`() async throws {
        let bench = CacheBench([.tagged("[1]", "a"), .tagged("[2]", "b")])
        try await bench.ask()
        var iterator = try await bench.cacheThenServer().process(CacheBench.draft(), .test).makeAsyncIterator()
        #expect(try await iterator.next()?.body == "[1]")
        #expect(bench.asked.count == 1)
        #expect(try await iterator.next()?.body == "[2]")
        #expect(try await iterator.next() == nil)
        #expect(bench.asked.count == 2)
    }

    @Test(arguments: [ScriptedAnswer.status(.notModified), .tagged("[1]", "other")])
    func `an equal second answer is left out, and not decoded`(_ second: ScriptedAnswer) async throws {
        let (bench, decoded) = (CacheBench([.tagged("[1]", "a"), second]), Counter())
        try await bench.ask()
        let counting = CacheBench.Decode { loaded, _ throws(Failure) in
            decoded.next()
            return loaded.text
        }
        let (answers, failure) = try await answers(bench.cacheThenServer(decode: counting))
        #expect(answers.map(\.body) == ["[1]"])
        #expect(failure == nil)
        #expect(bench.asked.count == 2)
        #expect(decoded.count == 1)
    }

    @Test(.timeLimit(.minutes(5)), arguments: [false, true])
    func `a handle ends the call for the second answer, also before its request`(isAsking: Bool) async throws {
        let clock = ManualClock()
        let (first, tries) = (ScriptedAnswer.text("1"), Counter())
        let origin = ScriptedTransport { _ in
            if tries.next() == 1 { return first }
            try? await clock.sleep(for: .seconds(1))
            return .failure(Failure(.cancelled, phase: .maybeSent))
        }
        let chain: Chain<Void, ResponseSequence<Int>> = try URLChainBuilder(
            ChainAssembly(transport: origin, connectivity: TestConnectivity())
        ).route(.get, try HTTPURL("http://a/p")).cache(InMemoryResponseCache(), keying: CacheKeying(account: "a"))
            .buildCacheThenServer()
        for try await answer in try await chain() { #expect(answer.body == 1) }
        let handle = CallHandle()
        let sequence = try await chain(ChainContext(handle: handle))
        let call = Task { () -> Failure? in
            var answers = sequence.makeAsyncIterator()
            do throws(Failure) {
                let stored = try await answers.next()
                #expect(stored?.body == 1)
                if !isAsking { handle.cancel() }
                _ = try await answers.next()
                return nil
            } catch { return error }
        }
        if isAsking {
            await clock.sleepers(1)
            handle.cancel()
        }
        #expect(await call.value?.reason == .cancelled)
        #expect(origin.requests.count == (isAsking ? 2 : 1))
    }

    @Test func `with nothing stored there is only the origin's answer`() async throws {
        let bench = CacheBench([.tagged("[1]", "a")])
        let (answers, failure) = try await answers(bench.cacheThenServer())
        #expect(answers.map(\.body) == ["[1]"])
        #expect(answers.map(\.source) == [.server])
        #expect(failure == nil)
    }

    @Test func `no content from the origin is an answer of its own`() async throws {
        let bench = CacheBench([.text(""), .status(.noContent)])
        try await bench.ask()
        #expect(try await answers(bench.cacheThenServer()).0.map(\.body) == ["", nil])
    }

    @Test func `a failure of the origin comes after the stored answer, or not at all where that is declared`()
        async throws
    {
        let bench = CacheBench([.tagged("[1]", "a"), .offline, .offline])
        try await bench.ask()
        let (told, failure) = try await answers(bench.cacheThenServer())
        #expect(told.map(\.body) == ["[1]"])
        #expect(failure?.reason == .noInternetConnection)
        let (silent, none) = try await answers(bench.cacheThenServer(endsSilently: true))
        #expect(silent.map(\.body) == ["[1]"])
        #expect(none == nil)
    }

    @Test func `silence hides neither the origin's answer nor a failure without a stored answer`() async throws {
        let bench = CacheBench([.offline, .tagged("[1]", "a"), .status(.unauthorized)])
        let (none, offline) = try await answers(bench.cacheThenServer(endsSilently: true))
        #expect(none.isEmpty)
        #expect(offline?.reason == .noInternetConnection)
        try await bench.ask()
        let (told, failure) = try await answers(bench.cacheThenServer(endsSilently: true))
        #expect(told.count == 1)
        #expect(failure?.reason == .http(HTTPFailure(status: 401)))
    }

    @Test func `a stored answer that can no longer be decoded is left out`() async throws {
        let bench = CacheBench([.tagged("old", "a"), .tagged("new", "b")])
        try await bench.ask()
        let strict = CacheBench.Decode { loaded, _ throws(Failure) in
            guard loaded.text != "old" else { throw Failure(.contract, phase: .answered) }
            return loaded.text
        }
        let (answers, failure) = try await answers(bench.cacheThenServer(decode: strict))
        #expect(answers.map(\.body) == ["new"])
        #expect(failure == nil)
    }

    @Test func `a fresh answer is the only one where that is declared`() async throws {
        let answer = ScriptedAnswer.text("[1]", headerFields: [.cacheControl: "max-age=60"])
        let bench = CacheBench([answer, .text("[2]"), .text("[3]")])
        try await bench.ask()
        let sparing = bench.cacheThenServer(skipsServerWhileFresh: true)
        #expect(try await answers(sparing).0.map(\.body) == ["[1]"])
        #expect(bench.asked.count == 1)
        bench.time.advance(by: 60)
        #expect(try await answers(sparing).0.map(\.body) == ["[1]", "[2]"])
    }

    @Test func `the origin is requested also while the answer is fresh, unless that is declared needless`()
        async throws
    {
        let answers = (1...2).map { ScriptedAnswer.text("[\($0)]", headerFields: [.cacheControl: "max-age=60"]) }
        let bench = CacheBench(answers)
        try await bench.ask()
        #expect(try await self.answers(bench.cacheThenServer()).0.map(\.body) == ["[1]", "[2]"])
    }

    @Test func `each iteration is a call of its own`() async throws {
        let bench = CacheBench([.tagged("[1]", "a"), .tagged("[2]", "b")])
        let sequence = try await bench.cacheThenServer().process(CacheBench.draft(), .test)
        for expected in [["[1]"], ["[1]", "[2]"]] {
            var values: [String?] = []
            for try await answer in sequence { values.append(answer.body) }
            #expect(values == expected)
        }
    }
}
