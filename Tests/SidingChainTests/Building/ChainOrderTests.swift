// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingJSON
import SidingNodes
import SidingTesting
import Testing

/// The documented order of every form.
@Suite struct ChainOrderTests {
    private static let front = "MetadataConnectorNode → URLRequestTransformerNode → RequestEncoderNode → "
    private static let sending =
        "TechnicalErrorMapperNode(HeaderInjectorNode → RequestCreatorNode → RequestSenderNode → "
        + "ResponseProcessorNode → ResponseHTTPErrorProcessorNode → ResponseDataPreprocessorNode → "
    private static let reading = "ResponseDataLoaderNode → ResponseDataParserNode → DecodeNode"

    /// The steps of a chain that ends in `rest`.
    private static func around(_ rest: String) -> String { "AborterNode(LoggerNode(\(front)\(sending)\(rest))))" }

    private func builder() throws -> URLChainBuilder {
        URLChainBuilder(ChainAssembly(transport: ScriptedTransport([]), connectivity: TestConnectivity()))
            .route(.post, try HTTPURL("http://a/p"))
    }

    @Test func `every form goes through the same steps`() throws {
        let typed = "ModelInputNode(\(Self.around(Self.reading)))"
        #expect(try builder().build([Int].self, to: [Int].self).description == typed)
        #expect(try builder().build(Void.self, to: [Int].self).description == typed)
        #expect(try builder().build(MultipartForm.self, to: [Int].self).description == typed)
        let silent = "ModelInputNode(VoidOutputNode(\(Self.around("ResponseDataLoaderNode"))))"
        #expect(try builder().build([Int].self, to: Void.self).description == silent)
        #expect(try builder().build(Void.self, to: Void.self).description == silent)
        #expect(try builder().build(MultipartForm.self, to: Void.self).description == silent)
        let loading = "ModelInputNode(\(Self.around("ResponseDataLoaderNode")))"
        #expect(try builder().buildDataLoading().description == loading)
        #expect(try builder().buildDataLoading([Int].self).description == loading)
    }

    @Test func `a download is a node around the exchange, within the error mapper`() throws {
        let file = FileDestination("/tmp/never-written")
        #expect(
            try builder().buildDownload(to: file).description
                == "ModelInputNode(AborterNode(LoggerNode(\(Self.front)TechnicalErrorMapperNode(FileDownloadNode("
                + "HeaderInjectorNode → RequestCreatorNode → RequestSenderNode → ResponseProcessorNode → "
                + "ResponseHTTPErrorProcessorNode → ResponseDataPreprocessorNode)))))")
    }

    @Test func `both tracks of a cache policy report progress, under one handle`() throws {
        let cached = try builder().cache(InMemoryResponseCache(), keying: CacheKeying(account: "a"))
        let exchange = Self.sending.replacing("RequestSenderNode", with: "ETagNode(RequestSenderNode)")
        let server = "LoggerNode(\(Self.front)\(exchange)ResponseDataLoaderNode))"
        let stored =
            "LoggerNode(\(Self.front)HeaderInjectorNode → RequestCreatorNode → CacheReaderNode → "
            + "ResponseDataPreprocessorNode → ResponseDataLoaderNode)"
        for chain in [
            try cached.buildCached(.cacheOnly, to: [Int].self).description,
            try cached.buildCacheThenServer(to: [Int].self).description,
        ] {
            #expect(chain.contains(server))
            #expect(chain.contains(stored))
            #expect(chain.components(separatedBy: "AborterNode").count == 2)
            #expect(chain.contains("ResponseDataParserNode → DecodeNode"))
        }
    }

    @Test func `with everything on, the order is the documented one`() throws {
        var assembly = ChainAssembly(
            transport: ScriptedTransport([]), connectivity: TestConnectivity(), retry: RetryPolicy(retries: 1))
        assembly.query = { [:] }
        assembly.deadline = .seconds(1)
        assembly.access = AccessSafety(
            AccessSettings(
                account: "a", store: InMemoryCredentialStore(),
                refresher: TokenRefresherNode { _, _ in TokenGrant(accessToken: "t") }))
        assembly.middlewares = Middlewares()
        assembly.errorEnvelope = ResponseErrorEnvelopeNode { _, _ in nil }
        assembly = assembly.cache(InMemoryResponseCache(), keying: CacheKeying(account: "a"))
        assembly.reportsProgress = true
        let chain = URLChainBuilder(assembly).route(.get, try HTTPURL("http://a/p")).set(query: ["q": 1])
            .envelope(at: JSONPath(member: "data")).build(Void.self, to: [Int].self)
        #expect(
            chain.description == """
                ModelInputNode(AborterNode(LoggerNode(MetadataConnectorNode → URLRequestTransformerNode → \
                RequestEncoderNode → URLQueryInjectorNode → MiddlewareNode(RetryNode(AccessSafeNode(MiddlewareNode(\
                DeadlineNode(TechnicalErrorMapperNode(URLQueryInjectorNode → HeaderInjectorNode → RequestCreatorNode → \
                UploadProgressNode → ETagNode(RequestSenderNode) → ResponseProcessorNode → \
                ResponseErrorEnvelopeNode → ResponseHTTPErrorProcessorNode → DownloadProgressNode → \
                ResponseDataPreprocessorNode → ResponseDataLoaderNode → ResponseDataParserNode → ResponseEnvelopeNode → \
                DecodeNode)))))))))
                """)
    }
}
