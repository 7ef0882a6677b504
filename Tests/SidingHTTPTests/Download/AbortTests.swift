// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingNodes
import SidingOrigin
import SidingTesting
import Testing

/// Ending calls over real connections: how soon, how far they say they had got, and what they leave behind.
@Suite(.serialized, .timeLimit(.minutes(5))) struct AbortTests {
    /// Within so much time a call that is cancelled ends.
    static let bound = Duration.milliseconds(50)

    struct Point: Sendable, CustomTestStringConvertible {
        let fault: OriginFault
        let phase: Failure.Phase
        var testDescription: String { "\(fault)" }
        init(_ fault: OriginFault, _ phase: Failure.Phase) { (self.fault, self.phase) = (fault, phase) }
    }

    static let points = [
        Point(.hang, .maybeSent), Point(.stallHead, .maybeSent), Point(.stallBody, .answered),
        Point(.slowBody(bytesPerSecond: 2000), .answered),
    ]

    @Test(arguments: points, [false, true])
    func `a call ends at once in every state, and its connection is free`(_ point: Point, _ byTask: Bool) async throws {
        try await asking(Self.settings, handler: Self.file) { (origin, transport) async throws in
            let elapsed = try await Self.quickest {
                origin.inject(point.fault)
                let handle = CallHandle()
                let call = Self.start(
                    AborterNode(Self.chain(transport).then(ResponseDataLoaderNode())), origin, handle)
                try await Self.arrival(point, origin, handle)
                let cancelled = ContinuousClock.now
                if byTask { call.cancel() } else { handle.cancel() }
                let (failure, end) = await call.value
                #expect(failure?.reason == .cancelled)
                #expect(failure?.phase == point.phase)
                await origin.closed(downTo: 0)
                #expect(
                    try await transport.ask(origin.at("/next")).bytes.count == 100_000, "with one connection allowed")
                return cancelled.duration(to: end)
            }
            #expect(elapsed < Self.bound)
        }
    }

    @Test(arguments: [false, true]) func `cancelled beforehand, nothing reaches the origin`(_ byTask: Bool) async throws
    {
        try await asking(Self.settings, handler: Self.file) { (origin, transport) async throws in
            let handle = CallHandle()
            if !byTask { handle.cancel() }
            let call = Task {
                if byTask { withUnsafeCurrentTask { $0?.cancel() } }
                return await Self.outcome(AborterNode(Self.chain(transport)), try Self.draft(origin), handle)
            }
            let (failure, _) = try await call.value
            #expect(failure?.reason == .cancelled)
            #expect(failure?.phase == .notSent)
            #expect(try await transport.ask(origin.at("/next")).bytes.count == 100_000)
            #expect(origin.requests.map(\.target) == ["/next"])
            #expect(origin.connectionCount == 1)
        }
    }

    @Test func `a call that waits for its turn to connect is cancelled unsent`() async throws {
        try await asking(Self.settings, handler: Self.file) { (origin, transport) async throws in
            origin.inject(.hang)
            let (first, second) = (CallHandle(), CallHandle())
            let node = AborterNode(Self.chain(transport))
            let holder = Self.start(node, origin, first)
            await origin.received(1)
            let waiter = Self.start(node, origin, second)
            second.cancel()
            let (failure, _) = await waiter.value
            #expect(failure?.phase == .notSent)
            #expect(origin.requests.count == 1)
            first.cancel()
            _ = await holder.value
            #expect(try await transport.ask(origin.at("/next")).bytes.count == 100_000)
        }
    }

    @Test func `a download that is cancelled ends at once, and the next one continues from there`() async throws {
        let directory = try TemporaryDirectory()
        try await asking(Self.settings, handler: Self.file) { (origin, transport) async throws in
            let path = directory.path(of: "x")
            let node = AborterNode(DownloadTests.node(transport, path))
            let elapsed = try await Self.quickest {
                try await FileDestination(path).discardPart()
                origin.inject(.stallBody)
                let handle = CallHandle()
                let call = Self.start(node, origin, handle)
                try await Self.arrival(Point(.stallBody, .answered), origin, handle)
                let cancelled = ContinuousClock.now
                handle.cancel()
                let (failure, end) = await call.value
                #expect(failure?.reason == .cancelled)
                return cancelled.duration(to: end)
            }
            #expect(elapsed < Self.bound)
            let file = try await node.process(Self.draft(origin), .call)
            #expect(file.resumedBytes == 50_000)
            #expect(DownloadTests.contents(path) == Self.bytes)
        }
    }

    @Test func `an upload that is cancelled ends at once, and its connection is free`() async throws {
        try await asking(Self.settings, handler: Self.file) { (origin, transport) async throws in
            let elapsed = try await Self.quickest {
                let handle = CallHandle()
                let node = AborterNode(Self.chain(transport))
                let call = Task { await Self.outcome(node, try Self.endlessUpload(origin), handle) }
                for await progress in handle.uploadProgress where progress.completed > 1 << 20 { break }
                let cancelled = ContinuousClock.now
                handle.cancel()
                let (failure, end) = try await call.value
                #expect(failure?.reason == .cancelled)
                #expect(failure?.phase == .maybeSent)
                await origin.closed(downTo: 0)
                return cancelled.duration(to: end)
            }
            #expect(elapsed < Self.bound)
            #expect(try await transport.ask(origin.at("/next")).bytes.count == 100_000)
        }
    }

    @Test(arguments: [false, true])
    func `the answer to a write is brought home, though cancelled meanwhile`(_ byTask: Bool) async throws {
        try await asking(Self.settings, handler: Self.file) { (origin, transport) async throws in
            origin.inject(.slowBody(bytesPerSecond: 400_000))
            let handle = CallHandle()
            let chain = AborterNode(Self.chain(transport).then(ResponseDataLoaderNode()))
            let context = ChainContext(requestID: "1", isResendable: false, handle: handle)
            let call = Task { () async throws(Failure) -> LoadedResponse in
                try await chain.process(
                    RequestDraft(route: RequestRoute(.post, try origin.url.resolve("/x")), body: .bytes([1])), context)
            }
            for await progress in handle.downloadProgress where progress.completed > 0 { break }
            if byTask { call.cancel() } else { handle.cancel() }
            #expect(try await call.value.bytes == Self.bytes)
        }
    }

    @Test func `an origin that is quicker than its reader does not outrun a cancellation`() async throws {
        let large = OriginResponse(body: [UInt8](repeating: 7, count: 16 << 20))
        try await asking(handler: { _ in large }) { (origin, transport) async throws in
            let call = Task { () async throws -> [UInt8]? in
                let reply = try await transport.send(origin.url.request(.get), body: .none)
                _ = try await reply.body.next()
                // By the time of another exchange, more of this body has come.
                try await transport.ask(origin.at("/other"))
                withUnsafeCurrentTask { $0?.cancel() }
                return try await reply.body.next()
            }
            let failure = await #expect(throws: Failure.self) { try await call.value }
            #expect(failure?.reason == .cancelled)
            await origin.closed(downTo: 1)
        }
    }

    // MARK: Parts

    static let settings = TransportSettings().with(\.totalTimeout, .seconds(30)).with(\.concurrency, 1)
    static let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    static let file: Origin.Handler = { request in
        await FileRoute(request.path, bytes).answer(request) ?? .notFound
    }

    static func chain(_ transport: HTTPTransport) -> some Node<RequestDraft, ChainResponse<ReplyBody?>> {
        RequestCreatorNode().then(UploadProgressNode()).then(RequestSenderNode(transport)).then(ResponseProcessorNode())
            .then(ResponseHTTPErrorProcessorNode()).then(DownloadProgressNode()).then(ResponseDataPreprocessorNode())
    }

    static func draft(_ origin: Origin) throws(Failure) -> RequestDraft {
        RequestDraft(route: RequestRoute(.get, try origin.url.resolve("/x")))
    }

    static func endlessUpload(_ origin: Origin) throws(Failure) -> RequestDraft {
        let block = [UInt8](repeating: 7, count: 65_536)
        return RequestDraft(
            route: RequestRoute(.put, try origin.url.resolve("/x")), body: .stream(length: nil) { { block } })
    }

    static func start<Wrapped>(
        _ node: AborterNode<Wrapped>, _ origin: Origin, _ handle: CallHandle
    ) -> Task<(Failure?, ContinuousClock.Instant), Never> where Wrapped.Input == RequestDraft {
        Task {
            do throws(Failure) { return await outcome(node, try draft(origin), handle) } catch {
                return (error, .now)
            }
        }
    }

    static func outcome<Wrapped>(
        _ node: AborterNode<Wrapped>, _ draft: RequestDraft, _ handle: CallHandle
    ) async -> (Failure?, ContinuousClock.Instant) where Wrapped.Input == RequestDraft {
        do throws(Failure) {
            _ = try await node.process(draft, ChainContext(requestID: "1", handle: handle))
            return (nil, .now)
        } catch {
            return (error, .now)
        }
    }

    /// Returns once the call of `handle` stands at `point`.
    static func arrival(_ point: Point, _ origin: Origin, _ handle: CallHandle) async throws {
        if point.phase == .answered {
            for await progress in handle.downloadProgress where progress.completed > 0 { return }
            Issue.record("the call ended before it got to its body")
            return
        }
        let count = origin.requests.count
        if origin.requests.last?.path != "/x" { await origin.received(count + 1) }
        // By the time that another connection is served, what this one was to get has been written.
        let other = HTTPTransport()
        try await other.ask(origin.at("/other"))
        await other.shutdown()
    }

    /// The first duration within the bound, or the last of three: a loaded machine may hold up any one of them.
    static func quickest(_ measure: () async throws -> Duration) async throws -> Duration {
        var elapsed = Duration.zero
        for _ in 1...3 {
            elapsed = try await measure()
            if elapsed < bound { break }
        }
        return elapsed
    }
}
