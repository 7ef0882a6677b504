// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingNodes
import SidingTesting
import SidingSynchronization
import Testing

@Suite struct ProgressNodeTests {
    // MARK: Download

    @Test func `a download reports the start, at most each hundredth, and the end`() async throws {
        let told = try await downloading([[UInt8]](repeating: [1], count: 10_000), length: 10_000)
        #expect(told.count == 101)
        #expect(told.first == TransferProgress(completed: 0, total: 10_000))
        #expect(told.last?.fraction == 1)
        for (earlier, later) in zip(told, told.dropFirst()) { #expect(later.completed - earlier.completed >= 100) }
    }

    @Test(arguments: [1, 2, 3, 99, 100, 101, 1001, 65_537])
    func `with any length, the last report is the whole and comes once`(_ length: Int) async throws {
        let told = try await downloading([[UInt8]](repeating: [1], count: length), length: length)
        #expect(told.count <= 102)
        #expect(told.count { $0.fraction == 1 } == 1)
        #expect(told.last?.completed == Int64(length))
    }

    @Test func `an unknown length reports bytes, at most each 64 KiB, and the end`() async throws {
        let told = try await downloading([[UInt8]](repeating: [1], count: 200_000), length: nil)
        #expect(told.map(\.completed) == [0, 65_536, 131_072, 196_608, 200_000])
        #expect(told.allSatisfy { $0.fraction == nil })
    }

    @Test func `nothing to carry is whole at once`() async throws {
        #expect(try await downloading([], length: 0).map(\.fraction) == [1])
    }

    @Test func `bytes that a resumed download has already count as completed`() async throws {
        let told = try await downloading(
            [[1, 2], [3, 4]], length: 4, status: .partialContent, [.contentRange: "bytes 6-9/10"])
        #expect(told == [6, 8, 10].map { TransferProgress(completed: $0, total: 10) })
    }

    @Test func `a body that breaks off reports no end`() async throws {
        let told = Told()
        let lost = Failure(.truncated, phase: .answered)
        let reply = try await DownloadProgressNode(told.report)
            .process(Self.reply([[1], [2]], length: 10, ending: lost), .test)
        await #expect(throws: Failure.self) { try await reply.body.collect(upTo: 100) }
        #expect(told.all.map(\.completed) == [0, 1, 2])
    }

    @Test func `the handle of the call gets the progress as well`() async throws {
        let handle = CallHandle()
        let context = ChainContext(requestID: "1", handle: handle)
        _ = try await DownloadProgressNode().process(Self.reply([[1]], length: 1), context).body.collect(upTo: 1)
        #expect(await TransferProgressTests.first(of: handle.downloadProgress)?.fraction == 1)
    }

    private func downloading(
        _ chunks: [[UInt8]], length: Int?, status: HTTPResponse.Status = .ok, _ fields: HTTPFields = [:]
    ) async throws -> [TransferProgress] {
        let told = Told()
        let reply = try await DownloadProgressNode(told.report)
            .process(Self.reply(chunks, length: length, status, fields), .test)
        #expect(try await reply.body.collect(upTo: 1 << 20) == chunks.flatMap { $0 })
        #expect(reply.body.length == length)
        return told.all
    }

    static func reply(
        _ chunks: [[UInt8]], length: Int?, _ status: HTTPResponse.Status = .ok, _ fields: HTTPFields = [:],
        ending: Failure? = nil
    ) throws -> Reply {
        let body = ReplyBodyTests.body(chunks, ending)
        return Reply(
            response: HTTPResponse(status: status, headerFields: fields),
            body: ReplyBody(length: length) { () async throws(Failure) -> [UInt8]? in
                try await body.next()
            },
            url: try HTTPURL("http://a/"))
    }

    // MARK: Upload

    @Test func `bytes in memory are uploaded in chunks, and reported like a download`() async throws {
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        let (sent, told) = try await uploading(.bytes(bytes))
        #expect(sent.map(\.body) == [bytes])
        #expect(told.map(\.completed) == [0, 65_536, 131_072, 196_608, 200_000])
        #expect(told.last?.fraction == 1)
    }

    @Test func `a stream reports at most each hundredth, with its length or bytes only`() async throws {
        let chunks: @Sendable () -> @Sendable () async throws -> [UInt8]? = {
            let rest = Counter()
            return { rest.next() <= 1000 ? [UInt8](repeating: 7, count: 100) : nil }
        }
        let (sent, told) = try await uploading(.stream(length: 100_000, chunks: chunks))
        #expect(sent.map(\.body.count) == [100_000])
        #expect(told.count == 101)
        #expect(told.last?.fraction == 1)
        #expect(
            try await uploading(.stream(length: nil, chunks: chunks)).told.map(\.completed) == [0, 65_600, 100_000])
    }

    @Test(arguments: [0, 1, 2]) func `an upload of nothing is whole at once`(_ kind: Int) async throws {
        let body: EncodedBody = [.none, .bytes([]), .stream(length: 0) { { nil } }][kind]
        #expect(try await uploading(body).told.map(\.fraction) == [1])
    }

    @Test func `a request without a body stays without one`() async throws {
        let request = try await RequestCreatorNode().then(UploadProgressNode()).process(Self.draft(.none), .test)
        guard case .none = request.body else {
            Issue.record("it has a body now")
            return
        }
    }

    @Test func `an upload that is sent again counts from nothing again`() async throws {
        let told = Told()
        let transport = ScriptedTransport([.status(.serviceUnavailable), .status(.ok)])
        let chain = RequestCreatorNode().then(UploadProgressNode(told.report))
            .then(RequestSenderNode(transport)).then(ResponseHTTPErrorProcessorNode())
            .retry(RetryPolicy(retries: 1, backoff: Backoff(base: .zero)))
        _ = try await chain.process(Self.draft(.bytes([1, 2])), .test)
        #expect(told.all.map(\.completed) == [0, 2, 0, 2])
    }

    @Test func `an error of the stream passes as it is`() async throws {
        struct Unreadable: Error {}
        let transport = ScriptedTransport([.status(.ok)])
        let chain = RequestCreatorNode().then(UploadProgressNode()).then(RequestSenderNode(transport))
        let failure = await chain.failure(try Self.draft(.stream(length: nil) { { throw Unreadable() } }))
        #expect(failure?.underlying is Unreadable)
    }

    private func uploading(
        _ body: EncodedBody
    ) async throws -> (sent: [ScriptedTransport.Request], told: [TransferProgress]) {
        let told = Told()
        let transport = ScriptedTransport([.status(.ok)])
        let chain = RequestCreatorNode().then(UploadProgressNode(told.report))
            .then(RequestSenderNode(transport))
        _ = try await chain.process(Self.draft(body), .test)
        return (transport.requests, told.all)
    }

    static func draft(_ body: EncodedBody) throws -> RequestDraft {
        RequestDraft(route: RequestRoute(.put, try HTTPURL("http://a/")), body: body)
    }
}

/// Keeps what was told.
final class Told: Sendable {
    private let progress = Mutex<[TransferProgress]>([])
    var all: [TransferProgress] { progress.withLock { $0 } }
    var report: @Sendable (TransferProgress, ChainContext) -> Void {
        { progress, _ in self.progress.withLock { $0.append(progress) } }
    }
}
