// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain

/// What is measured: a call of the transport itself, and the same call through chains.
struct Chains {
    let transport: MemoryTransport
    private let request: HTTPRequest
    let base: HTTPURL

    init() throws {
        base = try HTTPURL("https://api.example.com/v2")
        let url = try HTTPURL("https://api.example.com/v2/projects/siding/issues?page=3&per_page=100")
        transport = MemoryTransport(url: url)
        request = url.request(.get, headerFields: [.accept: "application/json"])
    }

    /// The body's bytes by a request that is ready: what a chain's call is compared with.
    func direct() async throws(Failure) -> [UInt8]? {
        try await transport.send(request, body: .none).body.collect(upTo: 64 << 20)
    }

    /// Router → query → headers → creator → mapper(sender) → response → HTTP errors → preprocessor → loader.
    ///
    /// Nothing is prepared: each call makes its route of a template, encodes its query, joins its header fields, asks a
    /// provider, and builds its request.
    func nodes() -> some Node<Int, LoadedResponse> {
        let base = base
        let router = RequestRouterNode<Int> { number in
            RequestDraft(
                route: try RequestRoute(
                    .get, "/projects/{id}/issues", under: base, parameters: ["id": "siding-\(number)"]))
        }
        return
            router
            .then(URLQueryInjectorNode { ["page": 3, "per_page": 100] })
            .then(HeaderInjectorNode([.accept: "application/json", .acceptLanguage: "en"]))
            .then(RequestCreatorNode(providers: [TokenProvider()]))
            .then(TechnicalErrorMapperNode(RequestSenderNode(transport), connectivity: AlwaysConnected()))
            .then(ResponseProcessorNode())
            .then(ResponseHTTPErrorProcessorNode())
            .then(ResponseDataPreprocessorNode())
            .then(ResponseDataLoaderNode())
    }
}
