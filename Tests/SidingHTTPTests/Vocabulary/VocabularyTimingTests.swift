// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingNodes
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing

/// The nodes that end, share, delay or leave out calls, and the requests that the origin receives of them.
@Suite(.timeLimit(.minutes(5))) struct VocabularyTimingTests {
    typealias Answer = BuilderSettingsTests.Answer

    /// Runs `body` with an origin whose notes answer with their number, once `gate` is open.
    private static func reading(
        _ gate: WaitingLine<Void>? = nil, _ body: (Origin, URLChainBuilder) async throws -> Void
    ) async throws {
        let handler: Origin.Handler = { request in
            if let gate { _ = await gate.take() }
            return .json(#"{"answer":\#(request.path.dropFirst(7))}"#)
        }
        try await BuilderSettingsTests.building(handler: handler, body)
    }

    /// A chain to a note by its number.
    private static func notes(_ builder: URLChainBuilder) -> Chain<Int, Answer> {
        builder.route(.get, "/notes/{id}").build(.path { ["id": "\($0)"] }, .json)
    }

    /// Starts a call here and now: when this returns, it has run up to its first wait.
    private static func start(_ node: some Node<Int, Answer>, _ number: Int) -> Task<Try<Answer>, Never> {
        Task.immediate { await node.outcome(of: number) }
    }

    @Test func `a call ends at its deadline, and its connection is closed`() async throws {
        let clock = ManualClock()
        try await Self.reading { (origin, builder) async throws in
            let limited = Self.notes(builder).timeLimit(.seconds(5), clock: clock)
            origin.inject(.hang)
            let call = Self.start(limited, 1)
            await origin.received(1)
            await clock.sleepers(1)
            clock.advance(by: .seconds(5))
            let failure = await call.value.failure
            #expect(failure?.reason == .timeout(.total))
            #expect(failure?.phase == .maybeSent)
            #expect(failure?.url == "\(origin.url.origin)/notes/1")
            await origin.closed(downTo: 0)
            #expect(try await limited.process(2, .call) == Answer(answer: 2))
            #expect(origin.requests.map(\.line) == ["GET /notes/1", "GET /notes/2"])
        }
    }

    @Test func `a deadline includes the body of the answer`() async throws {
        let clock = ManualClock()
        try await Self.reading { (origin, builder) async throws in
            let limited = Self.notes(builder.reportProgress()).timeLimit(.seconds(5), clock: clock)
            origin.inject(.stallBody)
            let handle = CallHandle()
            let call = Task { await limited.outcome(of: 1, ChainContext(handle: handle)) }
            for await progress in handle.downloadProgress where progress.completed > 0 { break }
            await clock.sleepers(1)
            clock.advance(by: .seconds(5))
            let failure = await call.value.failure
            #expect(failure?.reason == .timeout(.total))
            #expect(failure?.phase == .answered)
            await origin.closed(downTo: 0)
            #expect(origin.requests.map(\.line) == ["GET /notes/1"])
        }
    }

    @Test func `a deadline is that of the whole call, with its retries and the waits between them`() async throws {
        let clock = ManualClock()
        try await Self.reading { (origin, builder) async throws in
            let patient = Self.notes(builder.with(\.assembly.retry.retries, 1).with(\.assembly.clock, clock))
            origin.inject(.status(503, retryAfter: "5"), times: 2)
            let late = Self.start(patient.timeLimit(.seconds(3), clock: clock), 1)
            await clock.sleepers(2)
            #expect(clock.waits == [.seconds(3), .seconds(5)])
            clock.advance(by: .seconds(3))
            let failure = await late.value.failure
            #expect(failure?.reason == .timeout(.total))
            #expect(failure?.phase == .answered)
            #expect(origin.requests.map(\.line) == ["GET /notes/1"])
            let timely = Self.start(patient.timeLimit(.seconds(10), clock: clock), 2)
            await clock.sleepers(2)
            clock.advance(by: .seconds(5))
            #expect(try await timely.value.get() == Answer(answer: 2))
            #expect(origin.requests.map(\.line) == ["GET /notes/1", "GET /notes/2", "GET /notes/2"])
        }
    }

    @Test func `identical calls at the same moment share one request, and a later one asks anew`() async throws {
        let gate = WaitingLine<Void>([])
        try await Self.reading(gate) { (origin, builder) async throws in
            let shared = SingleFlightNode(Self.notes(builder))
            let calls = (0..<20).map { Self.start(shared, $0 % 2) }
            // Every call has joined a request by now, and no request has its answer.
            gate.open()
            for (index, call) in calls.enumerated() {
                #expect(try await call.value.get() == Answer(answer: index % 2))
            }
            #expect(origin.requests.map(\.line).sorted() == ["GET /notes/0", "GET /notes/1"])
            #expect(try await shared.process(0, .call) == Answer(answer: 0))
            #expect(origin.requests.count == 3)
        }
    }

    @Test func `a shared request continues when one caller leaves, and ends with the last one`() async throws {
        let gate = WaitingLine<Void>([])
        try await Self.reading(gate) { (origin, builder) async throws in
            let ended = Promise<Failure>()
            let shared = SingleFlightNode(
                Self.notes(builder).recover { failure, _ in
                    ended.resolve(failure)
                    throw failure
                })
            let (leaver, stayer) = (Self.start(shared, 1), Self.start(shared, 1))
            await origin.received(1)
            leaver.cancel()
            let left = await leaver.value.failure
            #expect(left?.reason == .cancelled)
            #expect(left?.phase == .maybeSent)
            #expect(left?.node == "SingleFlightNode")
            gate.open()
            #expect(try await stayer.value.get() == Answer(answer: 1))
            origin.inject(.hang)
            let leavers = [Self.start(shared, 2), Self.start(shared, 2)]
            await origin.received(2)
            for call in leavers { call.cancel() }
            for call in leavers { #expect(await call.value.failure?.reason == .cancelled) }
            #expect(await ended.value().reason == .cancelled)
            await origin.closed(downTo: 0)
            #expect(origin.requests.map(\.line) == ["GET /notes/1", "GET /notes/2"])
        }
    }

    @Test func `a throttled chain sends one request per interval, in the order of the calls`() async throws {
        let clock = ManualClock()
        try await Self.reading { (origin, builder) async throws in
            let polite = ThrottleNode(Self.notes(builder), interval: .seconds(10), clock: clock)
            let calls = (1...3).map { Self.start(polite, $0) }
            #expect(try await calls[0].value.get() == Answer(answer: 1))
            for turn in 1...2 {
                await clock.sleepers(1)
                #expect(clock.waits == [.seconds(10)])
                #expect(origin.requests.map(\.line) == (1...turn).map { "GET /notes/\($0)" })
                clock.advance(by: .seconds(10))
                #expect(try await calls[turn].value.get() == Answer(answer: turn + 1))
            }
            #expect(origin.requests.map(\.line) == ["GET /notes/1", "GET /notes/2", "GET /notes/3"])
        }
    }

    @Test func `by choice a call that comes too early fails without a request`() async throws {
        let clock = ManualClock()
        try await Self.reading { (origin, builder) async throws in
            let strict = ThrottleNode(Self.notes(builder), interval: .seconds(10), excess: .fails, clock: clock)
            #expect(try await strict.process(1, .call) == Answer(answer: 1))
            clock.advance(by: .seconds(9))
            let early = await strict.outcome(of: 2).failure
            #expect(early?.reason == .cancelled)
            #expect(early?.phase == .notSent)
            #expect(early?.node == "ThrottleNode")
            clock.advance(by: .seconds(1))
            #expect(try await strict.process(3, .call) == Answer(answer: 3))
            #expect(origin.requests.map(\.line) == ["GET /notes/1", "GET /notes/3"])
        }
    }

    @Test func `only the last call of a burst is sent, after a pause`() async throws {
        let clock = ManualClock()
        try await Self.reading { (origin, builder) async throws in
            let patient = DebounceNode(Self.notes(builder), interval: .seconds(1), clock: clock)
            let burst = (1...3).map { Self.start(patient, $0) }
            for call in burst.dropLast() {
                let failure = await call.value.failure
                #expect(failure?.reason == .cancelled)
                #expect(failure?.phase == .notSent)
                #expect(failure?.node == "DebounceNode")
            }
            await clock.sleepers(1)
            #expect(clock.waits == [.seconds(1)])
            #expect(origin.requests.isEmpty)
            clock.advance(by: .seconds(1))
            #expect(try await burst[2].value.get() == Answer(answer: 3))
            let later = Self.start(patient, 4)
            await clock.sleepers(1)
            clock.advance(by: .seconds(1))
            #expect(try await later.value.get() == Answer(answer: 4))
            #expect(origin.requests.map(\.line) == ["GET /notes/3", "GET /notes/4"])
        }
    }
}
