// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingNodes
import SidingOrigin
import SidingTesting
import Testing

/// The sender, and the three technical errors in every form of a chain.
@Suite(.timeLimit(.minutes(5))) struct VocabularySendingTests {
    typealias Answer = BuilderSettingsTests.Answer

    /// The failures of five forms of a chain, called at once: a model, no model, bytes, a multipart form, a file.
    static func failures(of builder: URLChainBuilder, _ directory: TemporaryDirectory) async -> [Failure?] {
        let model: Chain<[String: Int], Answer> = builder.build()
        let silent: Chain<Void, Void> = builder.build()
        let bytes: Chain<Void, LoadedResponse> = builder.buildDataLoading()
        let form: Chain<MultipartForm, Void> = builder.build()
        let file: Chain<Void, DownloadedFile> = builder.buildDownload(to: FileDestination(directory.path(of: "f")))
        async let one = failure(of: model, ["a": 1])
        async let two = failure(of: silent, ())
        async let three = failure(of: bytes, ())
        async let four = failure(of: form, MultipartForm())
        async let five = failure(of: file, ())
        return await [one, two, three, four, five]
    }

    private static func failure<I: Sendable, O: Sendable>(of chain: Chain<I, O>, _ input: I) async -> Failure? {
        await chain.outcome(of: input).failure
    }

    /// No label is longer than 63 bytes (RFC 1035 §2.3.4): the resolver refuses it without a query.
    static let unknownHost = "https://\(String(repeating: "a", count: 64)).invalid/p"

    @Test func `a host that refuses connections is cantConnectToHost in every form`() async throws {
        let directory = try TemporaryDirectory()
        try await BuilderSettingsTests.building { (origin, builder) async throws in
            await origin.stop()
            for failure in await Self.failures(of: builder.route(.get, "/p"), directory) {
                #expect(failure?.reason == .cantConnectToHost(.refused))
                #expect(failure?.phase == .notSent)
                #expect(failure?.url == "\(origin.url.origin)/p")
            }
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func `a name that cannot be resolved without a route is noInternetConnection in every form`() async throws {
        let directory = try TemporaryDirectory()
        try await BuilderSettingsTests.building { (_, builder) async throws in
            let offline = builder.with(\.assembly.connectivity, TestConnectivity(hasUsableRoute: false))
            let route = offline.route(.get, try HTTPURL(Self.unknownHost))
            for failure in await Self.failures(of: route, directory) {
                #expect(failure?.reason == .noInternetConnection)
                #expect(failure?.phase == .notSent)
                #expect(failure?.isOffline == true)
            }
        }
    }

    @Test func `a silent origin is a timeout in every form`() async throws {
        let directory = try TemporaryDirectory()
        // Enough time that a request is sent on a busy machine, too; and all five at once, as each takes that time.
        let settings = TransportSettings().with(\.idleTimeout, .seconds(3)).with(\.concurrency, 8)
        try await asking(settings) { (origin, transport) async throws in
            origin.inject(.hang, times: nil)
            let assembly = ChainAssembly(transport: transport, connectivity: TestConnectivity())
            let builder = URLChainBuilder(assembly, baseURL: origin.url).route(.get, "/p")
            for failure in await Self.failures(of: builder, directory) {
                #expect(failure?.reason == .timeout(.response))
                #expect(failure?.phase == .maybeSent)
            }
            #expect(origin.requests.map(\.line) == Array(repeating: "GET /p", count: 5))
        }
    }

    @Test func `the sender only sends: it interprets no status, and places the failure of the transport`() async throws
    {
        try await asking { (origin, transport) async throws in
            origin.inject(.status(503))
            origin.inject(.closeBeforeHead)
            let chain = RequestCreatorNode().then(RequestSenderNode(transport))
            let route = RequestRoute(.put, try origin.at("/p?x=1&token=canary"))
            let draft = RequestDraft(route: route, headerFields: [.accept: "text/plain"], body: .bytes([1, 2]))
            let reply = try await chain.process(draft, .call)
            #expect(reply.response.status.code == 503)
            #expect(try await reply.body.collect(upTo: 1000).isEmpty == false)
            let failure = try #require(await chain.outcome(of: draft).failure)
            #expect(failure.reason == .connectionLost && failure.phase == .maybeSent)
            #expect(failure.node == "RequestSenderNode")
            #expect(failure.url == "\(origin.url.origin)/p?x=1&token=…")
            #expect(origin.requests.map(\.line) == ["PUT /p?x=1&token=canary", "PUT /p?x=1&token=canary"])
            #expect(origin.requests.allSatisfy { $0.body == [1, 2] && $0.headerFields[.accept] == "text/plain" })
        }
    }
}
