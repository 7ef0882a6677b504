// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingNodes
import SidingSynchronization
import SidingTesting
import Testing

/// A cache, an origin that a closure plays, and the two tracks between them, with a wall clock that stands still.
struct CacheBench: Sendable {
    typealias Origin = @Sendable (ScriptedTransport.Request) async -> ScriptedAnswer

    /// What decodes the body; a node so that a test can make it fail.
    typealias Decode = Step<LoadedResponse, String?>

    let cache: any ResponseCache
    let keying: CacheKeying
    let transport: ScriptedTransport
    let time: WallTime
    var maxBody = 1_000
    var requiresValidator = false

    init(
        cache: any ResponseCache = InMemoryResponseCache(), account: String = "ann", time: WallTime = WallTime(),
        origin: @escaping Origin
    ) {
        self.cache = cache
        self.keying = CacheKeying(account: account, secretQueryNames: ["secret_key"], plainQueryNames: ["code"])
        self.transport = ScriptedTransport(origin)
        self.time = time
    }

    /// An origin that answers in order.
    init(cache: any ResponseCache = InMemoryResponseCache(), _ answers: [ScriptedAnswer]) {
        let queue = Mutex(answers.reversed() as [ScriptedAnswer])
        self.init(cache: cache) { _ in
            queue.withLock { $0.popLast() } ?? .failure(Failure(.internalFault, phase: .notSent, detail: "no answer"))
        }
    }

    // MARK: Chains

    var sender: ETagNode<RequestSenderNode> {
        let time = time
        return ETagNode(
            RequestSenderNode(transport), cache: cache, keying: keying, maxBody: maxBody,
            requiresValidator: requiresValidator, wallClock: WallClock { Timestamp(secondsSince1970: time.now) })
    }

    var reader: CacheReaderNode {
        let time = time
        return CacheReaderNode(
            cache, keying: keying, wallClock: WallClock { Timestamp(secondsSince1970: time.now) })
    }

    private func track(_ middle: some Node<OutgoingRequest, Reply>) -> some Node<RequestDraft, LoadedResponse> {
        RequestCreatorNode().then(middle)
            .then(ResponseProcessorNode()).then(ResponseHTTPErrorProcessorNode()).then(ResponseDataPreprocessorNode())
            .then(ResponseDataLoaderNode())
    }

    var server: some Node<RequestDraft, LoadedResponse> { track(sender) }
    var cached: some Node<RequestDraft, LoadedResponse> { track(reader) }

    static let text = Decode { loaded, _ throws(Failure) in loaded.bytes.map { String(decoding: $0, as: UTF8.self) } }

    func policy(
        _ policy: CachePolicy, skipsServerWhileFresh: Bool = false, decode: Decode = text
    ) -> some Node<RequestDraft, ChainResponse<String?>> {
        CachePolicyNode(
            policy, skipsServerWhileFresh: skipsServerWhileFresh, server: server, cached: cached, decode: decode)
    }

    func cacheThenServer(
        skipsServerWhileFresh: Bool = false, endsSilently: Bool = false, decode: Decode = text
    ) -> some Node<RequestDraft, ResponseSequence<String?>> {
        CacheThenServerNode(
            skipsServerWhileFresh: skipsServerWhileFresh, endsSilently: endsSilently, server: server, cached: cached,
            decode: decode)
    }

    // MARK: Calls

    static func draft(
        _ target: String = "/posts", method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:]
    ) throws -> RequestDraft {
        RequestDraft(route: RequestRoute(method, try HTTPURL("https://api.example.org\(target)")), headerFields: fields)
    }

    /// Asks the origin through the ETag node and reads the whole answer.
    @discardableResult
    func ask(
        _ target: String = "/posts", method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:]
    ) async throws -> LoadedResponse {
        try await server.process(Self.draft(target, method: method, fields), .test)
    }

    /// What is stored for a request, as text; nil where nothing is.
    func stored(_ target: String = "/posts", _ fields: HTTPFields = [:]) async throws -> String? {
        do {
            let loaded = try await cached.process(Self.draft(target, fields), .test)
            return loaded.bytes.map { String(decoding: $0, as: UTF8.self) }
        } catch let failure as Failure where failure.reason == .notCached {
            return nil
        }
    }

    /// The header fields of each request that came to the origin.
    var asked: [HTTPFields] { transport.requests.map(\.request.headerFields) }
}

/// Wall-clock seconds that a test moves.
final class WallTime: Sendable {
    private let seconds: Mutex<Double>

    /// Stands at 2023-11-14T22:13:20Z unless said otherwise.
    init(_ seconds: Double = 1_700_000_000) {
        self.seconds = Mutex(seconds)
    }

    var now: Double { seconds.withLock { $0 } }

    func advance(by more: Double) {
        seconds.withLock { $0 += more }
    }
}

extension LoadedResponse {
    var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
}

extension ScriptedAnswer {
    /// A 200 with a tag.
    static func tagged(_ body: String, _ tag: String, _ more: HTTPFields = [:]) -> ScriptedAnswer {
        .text(body, headerFields: [.eTag: tag] + more)
    }

    static let offline = ScriptedAnswer.failure(Failure(.noInternetConnection, phase: .notSent))
}

func + (one: HTTPFields, other: HTTPFields) -> HTTPFields {
    var both = one
    for field in other { both.append(field) }
    return both
}
