// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingNodes
import SidingTesting
import Testing

/// The cache policies on a real file, across the life of two processes.
@Suite struct OfflineAnswerTests {
    private func chain(
        _ cache: SQLiteResponseCache, _ answers: [ScriptedAnswer], _ time: ManualWallClock
    ) -> some Node<RequestDraft, ChainResponse<[UInt8]?>> {
        let keying = CacheKeying(account: "ann")
        let sender = ETagNode(
            RequestSenderNode(ScriptedTransport(answers)), cache: cache, keying: keying, wallClock: time.clock)
        let reader = CacheReaderNode(cache, keying: keying, wallClock: time.clock)
        return CachePolicyNode(
            .serverIfFailsCache, server: Self.track(sender), cached: Self.track(reader),
            decode: MapNode<LoadedResponse, [UInt8]?> { $0.bytes })
    }

    private static func track(_ middle: some Node<OutgoingRequest, Reply>) -> some Node<RequestDraft, LoadedResponse> {
        RequestCreatorNode().then(middle).then(ResponseProcessorNode()).then(ResponseHTTPErrorProcessorNode())
            .then(ResponseDataPreprocessorNode()).then(ResponseDataLoaderNode())
    }

    @Test func `an answer fetched by one process is served by the next without a line, and validated with one`()
        async throws
    {
        let (directory, time) = (try TemporaryDirectory(), ManualWallClock())
        let path = directory.path(of: "responses.db")
        let draft = RequestDraft(route: RequestRoute(.get, try HTTPURL("https://api.example.org/posts?b=1&a=2")))
        let context = ChainContext(requestID: "test")
        let first = try await SQLiteResponseCache.open(at: path, clock: time.clock)
        _ = try await chain(first, [.text("[1]", headerFields: [.eTag: "a"])], time).process(draft, context)
        await first.close()

        time.advance(by: .seconds(3_600))
        let second = try await SQLiteResponseCache.open(at: path, clock: time.clock)
        let line: [ScriptedAnswer] = [
            .failure(Failure(.noInternetConnection, phase: .notSent)), .status(.notModified),
        ]
        let chain = chain(second, line, time)
        let offline = try await chain.process(draft, context)
        #expect(offline.body == Array("[1]".utf8))
        #expect(offline.source == .cache(age: .seconds(3_600), storedAt: 1_700_000_000, isFresh: false))
        #expect(offline.failure?.reason == .noInternetConnection)
        let back = try await chain.process(draft, context)
        #expect(back.body == Array("[1]".utf8))
        #expect(back.source == .server)
        await second.close()
    }
}
