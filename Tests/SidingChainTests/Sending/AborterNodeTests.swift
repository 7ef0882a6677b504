// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingNodes
import SidingTesting
import Testing

@Suite struct AborterNodeTests {
    @Test func `a call that is not cancelled is left alone`() async throws {
        let chain = AborterNode(Step<Int, Int> { input, _ in input + 1 })
        #expect(try await chain.process(1, .test) == 2)
        #expect(chain.steps == ["AborterNode(Step)"])
    }

    @Test(arguments: [false, true]) func `cancelled beforehand, nothing is sent`(_ byTask: Bool) async throws {
        let transport = ScriptedTransport([.status(.ok)])
        let chain = AborterNode(Self.sending(transport))
        let handle = CallHandle()
        if !byTask { handle.cancel() }
        let call = Task {
            if byTask { withUnsafeCurrentTask { $0?.cancel() } }
            return await chain.failure(try Self.draft(.get), ChainContext(requestID: "1", handle: handle))
        }
        let failure = try #require(try await call.value)
        #expect(failure.reason == .cancelled)
        #expect(failure.phase == .notSent)
        #expect(transport.requests.isEmpty)
        #expect(await TransferProgressTests.last(of: handle.downloadProgress) == nil, "the progress ends")
    }

    @Test(arguments: [false, true]) func `a call that is cancelled meanwhile fails with its own phase`(
        _ byTask: Bool
    ) async {
        let clock = ManualClock()
        let chain = AborterNode(DeadlineNodeTests.waiting(clock, then: .maybeSent))
        let handle = CallHandle()
        let call = Task { await chain.failure(1, ChainContext(requestID: "1", handle: handle)) }
        await clock.sleepers(1)
        if byTask { call.cancel() } else { handle.cancel() }
        let failure = await call.value
        #expect(failure?.reason == .cancelled)
        #expect(failure?.phase == .maybeSent)
        #expect(handle.isCancelled)
    }

    @Test func `a handle serves one call, and the second fails without harm to the first`() async throws {
        let clock = ManualClock()
        let handle = CallHandle()
        let chain = AborterNode(DeadlineNodeTests.waiting(clock, then: .maybeSent), handle: handle)
        let first = Task { await chain.failure(1) }
        await clock.sleepers(1)
        let second = try #require(await chain.failure(1, ChainContext(requestID: "2")))
        #expect(second.reason == .invalidRequest)
        #expect(second.detail?.contains("CallHandle") == true)
        #expect(!handle.isCancelled)
        handle.cancel()
        #expect(await first.value?.reason == .cancelled)
        #expect(await chain.failure(1)?.reason == .invalidRequest, "also once the call is over")
    }

    @Test func `calls without a handle of their own share nothing`() async throws {
        let chain = AborterNode(Step<Int, Int> { input, _ in input })
        #expect(try await chain.process(1, .test) == 1)
        #expect(try await chain.process(2, .test) == 2)
    }

    @Test func `cancelling between two tries ends the waiting`() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport([.status(.badGateway), .status(.ok)])
        let retrying = Self.sending(transport).then(ResponseHTTPErrorProcessorNode())
            .retry(RetryPolicy(backoff: Backoff(base: .seconds(2))), jitter: .none, clock: clock)
        let handle = CallHandle()
        let call = Task {
            await AborterNode(retrying).failure(try Self.draft(.get), ChainContext(requestID: "1", handle: handle))
        }
        await clock.sleepers(1)
        handle.cancel()
        let failure = try await call.value
        #expect(failure?.reason == .cancelled)
        #expect(failure?.phase == .answered, "which is what is known")
        #expect(transport.requests.count == 1)
    }

    // MARK: Answers to writes

    struct Write: Sendable {
        let method: HTTPRequest.Method
        let isResendable: Bool
        let status: HTTPResponse.Status
        let isBroughtHome: Bool
        init(_ method: HTTPRequest.Method, _ isResendable: Bool, _ status: HTTPResponse.Status, _ isBroughtHome: Bool) {
            (self.method, self.isResendable) = (method, isResendable)
            (self.status, self.isBroughtHome) = (status, isBroughtHome)
        }
    }

    static let writes = [
        Write(.post, false, .created, true), Write(.post, true, .created, true), Write(.put, true, .ok, true),
        Write(.get, false, .ok, true), Write(.get, true, .ok, false), Write(.head, true, .ok, false),
        Write(.post, false, .badGateway, false),
    ]

    @Test(arguments: writes, [false, true])
    func `the answer that a write got is brought home, cancelled or not`(_ write: Write, _ byTask: Bool) async throws {
        let gate = Gate()
        let chain = AborterNode(
            Self.sending(Stalling(write.status, gate)).then(
                Step { reply, _ throws(Failure) in
                    try await reply.body.collect(upTo: 100)
                }))
        let handle = CallHandle()
        let context = ChainContext(requestID: "1", isResendable: write.isResendable, handle: handle)
        let call = Task { () async throws(Failure) -> [UInt8] in
            try await chain.process(try Self.draft(write.method), context)
        }
        await gate.reached()
        if byTask { call.cancel() } else { handle.cancel() }
        gate.open()
        switch await call.result {
        case .success(let bytes): #expect(write.isBroughtHome && bytes == [7])
        case .failure(let error): #expect(!write.isBroughtHome && (error as? Failure)?.reason == .cancelled)
        }
    }

    @Test func `a cancellation that an answer kept waiting holds for the next request of the call`() async throws {
        let handle = CallHandle()
        let transport = ScriptedTransport { _ in
            .reply(HTTPResponse(status: .created), chunks: [[1]])
        }
        let send = Self.sending(transport)
        let chain = AborterNode(
            send.then(
                Step<Reply, RequestDraft> { _, _ throws(Failure) in
                    handle.cancel()
                    return try Self.draft(.get)
                }
            ).then(send))
        let failure = await chain.failure(try Self.draft(.post), ChainContext(requestID: "1", handle: handle))
        #expect(failure?.reason == .cancelled)
        #expect(failure?.phase == .notSent)
        #expect(transport.requests.count == 1)
    }

    // MARK: Bodies that outlive the chain

    @Test func `a body that is read after the chain still belongs to the call`() async throws {
        let gate = Gate()
        let handle = CallHandle()
        let chain = AborterNode(Self.sending(Stalling(.ok, gate)))
        let reply = try await chain.process(Self.draft(.get), ChainContext(requestID: "1", handle: handle))
        let reader = Task { () async throws(Failure) -> [UInt8] in try await reply.body.collect(upTo: 100) }
        await gate.reached()
        handle.cancel()
        let failure = await #expect(throws: Failure.self) { try await reader.value }
        #expect(failure?.reason == .cancelled)
    }

    @Test func `the progress of a call ends with the call`() async throws {
        let handle = CallHandle()
        let transport = ScriptedTransport([.text("[]")])
        let chain = AborterNode(
            Self.sending(transport).then(DownloadProgressNode()).then(ResponseDataPreprocessorNode()))
        async let last = TransferProgressTests.last(of: handle.downloadProgress)
        try await Self.readAll(chain, ChainContext(requestID: "1", handle: handle))
        #expect(await last?.fraction == 1)
    }

    private static func readAll(_ chain: some Node<RequestDraft, ChainResponse<ReplyBody?>>, _ context: ChainContext)
        async throws
    {
        let answer = try await chain.process(draft(.get), context)
        _ = try await answer.body?.collect(upTo: 100)
    }

    // MARK: Parts

    static func draft(_ method: HTTPRequest.Method) throws(Failure) -> RequestDraft {
        RequestDraft(route: RequestRoute(method, try HTTPURL("http://a/")))
    }

    static func sending(_ transport: some Transport) -> some Node<RequestDraft, Reply> {
        RequestCreatorNode().then(RequestSenderNode(transport))
    }

    /// Answers with a head at once, and with a body once its gate opens, unless the reader is cancelled by then.
    struct Stalling: Transport {
        let status: HTTPResponse.Status
        let gate: Gate

        init(_ status: HTTPResponse.Status, _ gate: Gate) { (self.status, self.gate) = (status, gate) }

        func send(_ request: HTTPRequest, body: EncodedBody) async throws(Failure) -> Reply {
            let rest = Counter()
            let body = ReplyBody(length: 1) { () async throws(Failure) -> [UInt8]? in
                guard rest.next() == 1 else { return nil }
                await gate.pass()
                if Task.isCancelled { throw Failure(.cancelled, phase: .answered) }
                return [7]
            }
            return Reply(response: HTTPResponse(status: status), body: body, url: try request.checkedURL())
        }
    }
}

/// Holds up who passes until it is opened, or until who waits is cancelled.
final class Gate: Sendable {
    private let arrivals = AsyncStream.makeStream(of: Void.self)
    private let opening = AsyncStream.makeStream(of: Void.self)

    func pass() async {
        arrivals.continuation.yield()
        for await _ in opening.stream { return }
    }

    func reached() async {
        for await _ in arrivals.stream { return }
    }

    func open() { opening.continuation.yield() }
}
