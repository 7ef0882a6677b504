// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingNodes
import SidingOrigin
import SidingTesting
import Testing

/// Downloads over real connections.
@Suite struct DownloadTests {
    static let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    @Test func `a file that breaks off is resumed from where it stopped, until it is whole`() async throws {
        try await serving { (origin, transport, directory) async throws in
            origin.inject(.cutBody(chunked: false), times: 3)
            let node = Self.node(transport, directory.path(of: "x"))
            for received in [500_000, 750_000, 875_000] {
                let failure = await #expect(throws: Failure.self) { try await node.process(Self.draft(origin), .call) }
                #expect(failure?.reason == .truncated)
                #expect(failure?.phase == .answered)
                #expect(try Self.size(ofPartIn: directory) == received)
            }
            let file = try await node.process(Self.draft(origin), .call)
            #expect(
                origin.requests.map { $0.headerFields[.range] } == [
                    nil, "bytes=500000-", "bytes=750000-", "bytes=875000-",
                ])
            #expect(file.resumedBytes == 875_000)
            #expect(file.response.status == .partialContent)
            #expect(Self.contents(directory.path(of: "x")) == Self.bytes)
        }
    }

    @Test(arguments: [OriginFault.cutBody(chunked: true), .resetAfterHead])
    func `a broken connection is truncation in every form, and a retry resumes`(_ fault: OriginFault) async throws {
        try await serving { (origin, transport, directory) async throws in
            origin.inject(fault)
            let node = Self.node(transport, directory.path(of: "x"))
            let failure = await #expect(throws: Failure.self) { try await node.process(Self.draft(origin), .call) }
            #expect(failure?.reason == .truncated)
            let retrying = node.retry(RetryPolicy(retries: 1, backoff: Backoff(base: .zero)))
            origin.inject(fault)
            _ = try await retrying.process(Self.draft(origin), .call)
            #expect(Self.contents(directory.path(of: "x")) == Self.bytes)
        }
    }

    @Test func `a file that changed meanwhile is downloaded anew`() async throws {
        let changed = [UInt8](Self.bytes.reversed())
        let versions = Versions([FileRoute("/x", Self.bytes), FileRoute("/x", changed, validators: [.eTag: "\"2\""])])
        try await serving(handler: { await versions.answer($0) }) { (origin, transport, directory) async throws in
            origin.inject(.cutBody(chunked: false))
            let node = Self.node(transport, directory.path(of: "x"))
            await #expect(throws: Failure.self) { try await node.process(Self.draft(origin), .call) }
            #expect(try await node.process(Self.draft(origin), .call).resumedBytes == 0)
            #expect(origin.requests.last?.headerFields[.ifRange] == "\"1\"")
            #expect(Self.contents(directory.path(of: "x")) == changed)
        }
    }

    @Test func `an origin that compresses is requested without compression, regardless of the transport`()
        async throws
    {
        let settings = TransportSettings().with(\.compression, .always)
        try await serving(settings) { (origin, transport, directory) async throws in
            origin.inject(.cutBody(chunked: false))
            let node = Self.node(transport, directory.path(of: "x"))
            await #expect(throws: Failure.self) { try await node.process(Self.draft(origin), .call) }
            let file = try await node.process(Self.draft(origin), .call)
            #expect(origin.requests.allSatisfy { $0.headerFields[.acceptEncoding] == "identity" })
            #expect(file.response.headerFields[.contentEncoding] == nil)
            #expect(Self.contents(directory.path(of: "x")) == Self.bytes)
        }
    }

    @Test func `an answer that is compressed nevertheless is stored decompressed, and is not resumed`() async throws {
        try await serving { (origin, transport, directory) async throws in
            origin.inject(.cutGzip)
            let node = Self.node(transport, directory.path(of: "x"))
            let failure = await #expect(throws: Failure.self) { try await node.process(Self.draft(origin), .call) }
            #expect(failure?.reason == .truncated)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
            origin.inject(.gzipBomb(size: 300_000))
            #expect(try await node.process(Self.draft(origin), .call).bytes == 300_000)
        }
    }

    @Test func `an answer that just ends is refused`() async throws {
        let server = try await AbruptOrigin.start("HTTP/1.1 200 OK\r\n\r\nhalf a file")
        let transport = HTTPTransport()
        let directory = try TemporaryDirectory()
        let node = Self.node(transport, directory.path(of: "x"))
        let draft = RequestDraft(route: RequestRoute(.get, server.url))
        let failure = await #expect(throws: Failure.self) { try await node.process(draft, .call) }
        #expect(failure?.reason == .contract)
        #expect(failure?.detail?.contains("whether the file is whole") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        await transport.shutdown()
        await server.stop()
    }

    @Test func `a file that another origin keeps is resumed there`() async throws {
        try await serving { (keeper, _, directory) async throws in
            try await serving(handler: { _ in Self.redirect(to: keeper) }) { (origin, transport, _) async throws in
                keeper.inject(.cutBody(chunked: false))
                let node = Self.node(transport, directory.path(of: "x"))
                await #expect(throws: Failure.self) { try await node.process(Self.draft(origin), .call) }
                #expect(try await node.process(Self.draft(origin), .call).resumedBytes == 500_000)
                #expect(keeper.requests.last?.headerFields[.ifRange] == "\"1\"")
                #expect(Self.contents(directory.path(of: "x")) == Self.bytes)
            }
        }
    }

    @Test func `a quota ends the download before the rest is read`() async throws {
        try await serving { (origin, transport, directory) async throws in
            let node = Self.node(transport, directory.path(of: "x"), limit: 999_999)
            let failure = await #expect(throws: Failure.self) { try await node.process(Self.draft(origin), .call) }
            #expect(failure?.reason == .tooLarge(limit: 999_999))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        }
    }

    @Test func `progress reaches from the start to the whole, over a resumption`() async throws {
        try await serving { (origin, transport, directory) async throws in
            origin.inject(.cutBody(chunked: false))
            let node = AborterNode(Self.node(transport, directory.path(of: "x")))
            let handles = [CallHandle(), CallHandle()]
            await #expect(throws: Failure.self) {
                try await node.process(Self.draft(origin), ChainContext(requestID: "1", handle: handles[0]))
            }
            async let told = Self.all(of: handles[1].downloadProgress)
            _ = try await node.process(Self.draft(origin), ChainContext(requestID: "2", handle: handles[1]))
            let progress = await told
            #expect(progress.allSatisfy { $0.total == 1_000_000 && $0.completed >= 500_000 })
            #expect(progress.last?.fraction == 1)
            #expect(await Self.all(of: handles[0].downloadProgress).first?.completed == 500_000)
        }
    }

    // MARK: Parts

    static func node(
        _ transport: HTTPTransport, _ path: String, limit: Int = .max
    ) -> FileDownloadNode<some Node<RequestDraft, ChainResponse<ReplyBody?>>> {
        let chain = RequestCreatorNode().then(RequestSenderNode(transport)).then(ResponseProcessorNode())
            .then(ResponseHTTPErrorProcessorNode()).then(DownloadProgressNode()).then(ResponseDataPreprocessorNode())
        return FileDownloadNode(chain, to: FileDestination(path), limit: limit)
    }

    static func draft(_ origin: Origin) throws(Failure) -> RequestDraft {
        RequestDraft(route: RequestRoute(.get, try origin.url.resolve("/x")))
    }

    static func contents(_ path: String) -> [UInt8]? { FileManager.default.contents(atPath: path).map { [UInt8]($0) } }

    static func all(of updates: some AsyncSequence<TransferProgress, Never> & Sendable) async -> [TransferProgress] {
        var all: [TransferProgress] = []
        for await progress in updates { all.append(progress) }
        return all
    }

    private static func redirect(to origin: Origin) -> OriginResponse {
        OriginResponse(status: .found, headerFields: [.location: "http://localhost:\(origin.url.port)/x"])
    }

    private static func size(ofPartIn directory: TemporaryDirectory) throws -> Int? {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        return names.first { $0.hasSuffix(".part") }.flatMap { contents(directory.path(of: $0))?.count }
    }

    private func serving(
        _ settings: TransportSettings = TransportSettings().with(\.redirectOrigins, nil),
        handler: @escaping Origin.Handler = { await FileRoute("/x", bytes).answer($0) ?? .notFound },
        _ body: (Origin, HTTPTransport, TemporaryDirectory) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        try await asking(settings, handler: handler) { (origin, transport) async throws in
            try await body(origin, transport, directory)
        }
    }

    /// Serves the first of its files once, and then the next.
    actor Versions {
        private var files: [FileRoute]
        init(_ files: [FileRoute]) { self.files = files }
        func answer(_ request: OriginRequest) async -> OriginResponse {
            let file = files.count > 1 ? files.removeFirst() : files[0]
            return await file.answer(request) ?? .notFound
        }
    }
}

extension ChainContext {
    static var call: ChainContext { ChainContext(requestID: "1") }
}
