// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingNodes
import SidingTesting
import Testing

@Suite struct RailwayTests {
    struct Own: Error {}
    static let offline = Failure(.noInternetConnection, phase: .notSent).at(node: "n", method: "GET", url: "http://a/")
    static let double = Step<Int, Int> { input, _ in input * 2 }
    static let fails = Step<Int, Int> { _, _ throws(Failure) in throw offline }

    /// Keeps what it is given: a table.
    actor Table {
        private(set) var rows: [String] = []
        func insert(_ row: String) -> Int {
            rows.append(row)
            return rows.count
        }
    }

    @Test func `fetch then save reads as two steps, over a transport and a store alike`() async throws {
        let table = Table()
        let fetch = RequestCreatorNode().then(RequestSenderNode(ScriptedTransport([.text("one")])))
            .then(ResponseDataPreprocessorNode()).then(ResponseDataLoaderNode())
        let save = Step<String, Int> { row, _ in await table.insert(row) }
        let line = Railway(
            RequestStep(
                .onSuccess { (path: String) in
                    RequestDraft(route: RequestRoute(.get, try HTTPURL("http://a").appending(path: path)))
                }, fetch, ResultProcessor { String(decoding: $0.bytes ?? [], as: UTF8.self) })
        ).then(RequestStep(save))
        #expect(try await line.outcome(of: "/1", .test).get() == 1)
        #expect(await table.rows == ["one"])
        #expect(
            line.description
                == "RequestStep(RequestCreatorNode → RequestSenderNode → ResponseDataPreprocessorNode → ResponseDataLoaderNode) → RequestStep(Step)"
        )
    }

    @Test func `an outcome needs no context, and without an input nothing at all`() async throws {
        let line = Railway(RequestStep(Step<Void, Int> { _, _ in 21 })).then(RequestStep(Self.double))
        #expect(try await line.outcome().get() == 42)
        #expect(try await Railway(RequestStep(Self.double)).outcome(of: 21).get() == 42)
    }

    @Test func `a failure travels to the end untouched, and no later node runs`() async {
        let ran = Counter()
        let later = Step<Int, Int> { input, _ in
            ran.next()
            return input
        }
        let line = Railway(RequestStep(Self.fails)).then(RequestStep(later)).then(
            RequestStep(.onSuccess { $0 }, later, ResultProcessor { "\($0)" }))
        let failure = await line.failure(1)
        #expect(failure?.reason == .noInternetConnection)
        #expect(failure?.phase == .notSent)
        #expect(failure?.node == "n")
        #expect(failure?.url == "http://a/")
        #expect(ran.count == 0)
    }

    @Test func `a step recovers from its own failures with fallback parameters, and from no others`() async throws {
        let asked = RequestGenerator<Int, Int>.onSuccess { $0 + 1 }
            .recovering(where: { $0.reason == .noInternetConnection }) { _ in 100 }
            .recovering(where: { $0.phase == .notSent }) { _ in 200 }
        func line(_ failure: Failure?) -> some Node<Int, Int> {
            let first = Step<Int, Int> { input, _ throws(Failure) in
                if let failure { throw failure }
                return input
            }
            return Railway(RequestStep(first)).then(RequestStep(asked, Self.double))
        }
        #expect(try await line(nil).process(1, .test) == 4)
        #expect(try await line(Self.offline).process(1, .test) == 200, "the first that names it")
        #expect(try await line(Failure(.hostNotFound, phase: .notSent)).process(1, .test) == 400)
        #expect(await line(Failure(.contract, phase: .answered)).failure(1)?.reason == .contract)
    }

    @Test func `a forced step sends its request after success and failure alike`() async throws {
        let asked = RequestGenerator<Int, Int>.forced { previous in (try? previous.get()) ?? 50 }
        #expect(
            try await Railway(RequestStep(Self.fails)).then(RequestStep(asked, Self.double)).process(1, .test) == 100)
        let bare = Failure(.contract, phase: .answered)
        let passing = RequestGenerator<Int, Int>.forced { previous in try previous.get() }
        let placeless = await passing.request(after: .failure(bare))
        #expect(TryTests.failure(placeless)?.node == nil)
        let failure = await Railway(RequestStep(Self.fails)).then(RequestStep(passing, Self.double)).failure(1)
        #expect(failure?.node == "n", "a failure that user code throws on is untouched")
    }

    @Test func `an error of a generator becomes the failure, and no request is made`() async {
        let ran = Counter()
        let node = Step<Int, Int> { input, _ in ran.next() }
        for generator in [
            RequestGenerator<Int, Int>.onSuccess { _ in throw Own() }, .forced { _ in throw Own() },
        ] {
            let failure = await Railway(RequestStep(generator, node)).failure(1)
            #expect(failure?.reason == .userCode)
            #expect(failure?.phase == .notSent)
            #expect(failure?.node == "RequestGenerator")
            #expect(failure?.underlying is Own)
        }
        let recovering = RequestGenerator<Int, Int>.previous.recovering(where: { _ in true }) { _ in throw Own() }
        #expect(
            await Railway(RequestStep(Self.fails)).then(RequestStep(recovering, node)).failure(1)?.reason == .userCode)
        #expect(ran.count == 0)
    }

    @Test func `an error of a processor becomes the failure, which a later step may recover from`() async throws {
        let step = RequestStep(.previous, Self.double, ResultProcessor<Int, Int> { _ in throw Own() })
        let failure = await Railway(step).failure(1)
        #expect(failure?.reason == .userCode)
        #expect(failure?.phase == .answered)
        #expect(failure?.node == "ResultProcessor")
        let later = RequestGenerator<Int, Int>.previous.recovering(where: { $0.underlying is Own }) { _ in 4 }
        #expect(try await Railway(step).then(RequestStep(later, Self.double)).process(1, .test) == 8)
    }

    @Test func `a processor of outcomes may answer for its own request's failure, never for an earlier one`()
        async throws
    {
        let orNone = ResultProcessor<Int, Int?>.outcome { raw in
            if case .failure(let failure) = raw, failure.reason == .noInternetConnection { return nil }
            return try raw.get()
        }
        let own = Railway(RequestStep(.previous, Self.fails, orNone))
        #expect(try await own.process(1, .test) == nil)
        let earlier = Railway(RequestStep(Self.fails)).then(RequestStep(.previous, Self.double, orNone))
        #expect(await earlier.failure(1)?.reason == .noInternetConnection)
    }

    @Test func `a foreign node that throws does not derail the line`() async throws {
        let derailing = Step<Try<Int>, Try<Int>> { _, _ throws(Failure) in throw Self.offline }
        let recovering = RequestGenerator<Int, Int>.previous.recovering(where: { _ in true }) { _ in 3 }
        #expect(try await Railway(derailing).then(RequestStep(recovering, Self.double)).process(1, .test) == 6)
        #expect(await Railway(derailing).failure(1)?.reason == .noInternetConnection)
    }

    @Test func `a railway is a node: a part of a chain, and a performer`() async throws {
        let line = Railway(RequestStep(Self.double))
        #expect(try await line.map { $0 + 1 }.process(1, .test) == 3)
        #expect(try await Railway(RequestStep(line)).then(RequestStep(line)).process(1, .test) == 4)
    }

    @Test func `in a cancelled task no request is begun`() async {
        let (ran, clock) = (Counter(), ManualClock())
        let waiting = Step<Int, Int> { input, _ in
            try? await clock.sleep(for: .seconds(1))
            return input
        }
        let recovering = RequestGenerator<Int, Int>.previous.recovering(where: { _ in true }) { _ in 1 }
        let line = Railway(RequestStep(waiting)).then(RequestStep(Step<Int, Int> { _, _ in ran.next() }))
            .then(RequestStep(recovering, Step<Int, Int> { _, _ in ran.next() }))
        let call = Task { await line.failure(1) }
        await clock.sleepers(1)
        call.cancel()
        let failure = await call.value
        #expect(failure?.reason == .cancelled)
        #expect(failure?.phase == .notSent)
        #expect(ran.count == 0)
    }
}
