public import FoundationEssentials
public import HTTPTypes
public import SidingJSON

/// Says step by step what a chain is to do, then builds it.
///
/// ```swift
/// let builder = URLChainBuilder(ChainAssembly(transport: transport, connectivity: LinuxConnectivity()))
/// let signIn: Chain<Credentials, Session> = builder.route(.post, "/session", under: base).encode(as: .formURL).build()
/// let me: Chain<Void, User> = builder.route(.get, "/me", under: base).log(exclude: ["RequestSenderNode"]).build()
/// ```
/// A builder is a value: each method gives a changed copy, so that one that is half told serves many chains. Every form of
/// `build` ends in the same ``ChainAssembly``.
public struct URLChainBuilder: Sendable, Changeable {
    /// What is around every chain of this builder.
    public var assembly: ChainAssembly
    /// How bodies are written; JSON unless said otherwise.
    public var encoding = BodyEncoding.json
    /// Sent with every request; header fields of ``assembly`` give way to these.
    public var metadata: HTTPFields = [:]
    /// Added behind the route's own query.
    public var query: [String: QueryValue] = [:]
    public var queryEncoding = QueryEncoding()
    /// The most bytes of an answer's body that are read into memory; 64 MiB unless said otherwise.
    public var bodyLimit = 64 << 20
    /// What the JSON of an answer may hold.
    public var jsonLimits = JSONLimits()
    /// Where the value lies in an answer; the whole of it unless said otherwise.
    public var envelope: ResponseEnvelopeNode?
    /// Makes the encoder of each call; dates are those of RFC 3339 unless it says otherwise.
    public var encoder: @Sendable () -> JSONEncoder = JSONCoding.encoder
    /// Makes the decoder of each call; dates are those of RFC 3339 unless it says otherwise.
    public var decoder: @Sendable () -> JSONDecoder = JSONCoding.decoder
    var route: @Sendable () throws -> Route
    var requestNodes: [any Node<RequestDraft, RequestDraft>] = []

    /// A builder without a route: a chain built of it fails as ``Failure/Reason/invalidRequest``.
    public init(_ assembly: ChainAssembly) {
        self.assembly = assembly.with(\.isAbortable, true)
        route = { throw Failure(.invalidRequest, phase: .notSent, detail: "the chain was built without a route") }
    }

    /// Where requests go.
    public func route(_ method: HTTPRequest.Method, _ url: HTTPURL) -> URLChainBuilder {
        routed { Route(method, url) }
    }

    /// Where requests go: a path under a source, its `{name}` placeholders filled in, percent-encoded. What is wrong with
    /// it fails the calls of the chain.
    public func route(
        _ method: HTTPRequest.Method, _ template: String, under base: HTTPURL, parameters: [String: String] = [:]
    ) -> URLChainBuilder {
        routed { try Route(method, template, under: base, parameters: parameters) }
    }

    private func routed(_ route: @escaping @Sendable () throws -> Route) -> URLChainBuilder {
        with(\.route, route)
    }

    /// Adds query parameters; one of the same name is replaced.
    public func set(query: [String: QueryValue]) -> URLChainBuilder {
        with(\.query, self.query.merging(query) { _, later in later })
    }

    public func set(boolEncodingStrategy strategy: QueryEncoding.BoolStrategy) -> URLChainBuilder {
        with(\.queryEncoding.bools, strategy)
    }

    public func set(arrayEncodingStrategy strategy: QueryEncoding.ArrayStrategy) -> URLChainBuilder {
        with(\.queryEncoding.arrays, strategy)
    }

    public func set(dictEncodingStrategy strategy: QueryEncoding.DictionaryStrategy) -> URLChainBuilder {
        with(\.queryEncoding.dictionaries, strategy)
    }

    /// Sets header fields; one of the same name is replaced.
    public func set(metadata: HTTPFields) -> URLChainBuilder {
        var fields = self.metadata
        for field in metadata { fields[field.name] = metadata[field.name] }
        return with(\.metadata, fields)
    }

    /// Adds a provider that is asked on each attempt, after those added before.
    public func add(provider: any MetadataProvider) -> URLChainBuilder {
        with(\.assembly.providers, assembly.providers + [provider])
    }

    /// Adds a node of the program's own at the end of the request half, after those added before; it runs once per call.
    public func add(node: some Node<RequestDraft, RequestDraft>) -> URLChainBuilder {
        with(\.requestNodes, requestNodes + [node])
    }

    /// How models become part of the request, for every method.
    public func encode(as encoding: BodyEncoding) -> URLChainBuilder { with(\.encoding, encoding) }

    /// Leaves the events of these nodes out of the log.
    public func log(exclude names: Set<String>) -> URLChainBuilder {
        with(\.assembly.logExclusions, assembly.logExclusions.union(names))
    }

    /// Keeps the requests signed in.
    public func access(_ safety: AccessSafety) -> URLChainBuilder { with(\.assembly.access, safety) }

    /// Takes the value of an answer from `path`, such as `$.data`.
    public func envelope(at path: JSONPath, isOptional: Bool = false) -> URLChainBuilder {
        with(\.envelope, ResponseEnvelopeNode(at: path, isOptional: isOptional))
    }

    /// Turns the origin's own way to tell errors into the program's errors.
    public func errors(_ envelope: ResponseErrorEnvelopeNode) -> URLChainBuilder {
        with(\.assembly.errorEnvelope, envelope)
    }

    /// Keeps answers, for conditional requests and for `buildCached` and `buildCacheThenServer`.
    ///
    /// A stored answer is looked for without asking providers and middlewares, which may need a line: what the origin varies
    /// on, such as a language, belongs into the metadata.
    public func cache(_ responses: any ResponseCache, keying: CacheKeying) -> URLChainBuilder {
        with(\.assembly.cache, ChainAssembly.CacheUse(responses, keying: keying))
    }

    /// Tells the ``CallHandle`` of each call how much was sent and received.
    public func reportProgress() -> URLChainBuilder { with(\.assembly.reportsProgress, true) }
}
