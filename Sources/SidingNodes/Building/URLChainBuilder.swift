// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import HTTPTypes
public import SidingChain
public import SidingJSON

/// Configures a chain step by step, then builds it.
///
/// ```swift
/// let builder = URLChainBuilder(ChainAssembly(transport: transport, connectivity: LinuxConnectivity()))
/// let signIn: Chain<Credentials, Session> = builder.route(.post, "/session", under: base).encode(as: .formURL).build()
/// let me: Chain<Void, User> = builder.route(.get, "/me", under: base).log(exclude: ["RequestSenderNode"]).build()
/// ```
/// A builder is a value: each method returns a changed copy, so that a partly configured one can serve many chains. Every form
/// of `build` uses the same `ChainAssembly`.
public struct URLChainBuilder: Sendable, Changeable {
    /// The nodes around every chain of this builder.
    public var assembly: ChainAssembly
    /// How bodies are encoded; JSON by default.
    public var encoding = BodyEncoding.json
    /// Header fields of every request; they win over those of ``assembly``.
    public var metadata: HTTPFields = [:]
    /// Appended to the route's own query.
    public var query: [String: QueryValue] = [:]
    /// How ``query``, forms and query models are written; see `QueryEncoding` for the defaults.
    public var queryEncoding = QueryEncoding()
    /// The maximum size of a response body that is read into memory; 64 MiB by default.
    public var bodyLimit = 64 << 20
    /// The limits for the JSON of a response.
    public var jsonLimits = JSONLimits()
    /// The path of the value in a response; the whole response by default.
    public var envelope: ResponseEnvelopeNode?
    /// Makes the encoder of each call; by default it writes dates of RFC 3339, to the microsecond, `Data` as Base64, names sorted.
    public var encoder: @Sendable () -> JSONEncoder = JSONCoding.encoder
    /// Makes the decoder of each call; by default it reads dates of RFC 3339, and `Data` as Base64.
    public var decoder: @Sendable () -> JSONDecoder = JSONCoding.decoder
    var route: @Sendable () throws -> Route
    var requestNodes: [any Node<RequestDraft, RequestDraft>] = []

    /// A builder without a route: its chains fail with `Failure.Reason.invalidRequest`.
    public init(_ assembly: ChainAssembly) {
        self.assembly = assembly.with(\.isAbortable, true)
        route = { throw Failure(.invalidRequest, phase: .notSent, detail: "the chain was built without a route") }
    }

    /// Sets the target of requests.
    public func route(_ method: HTTPRequest.Method, _ url: HTTPURL) -> URLChainBuilder {
        routed { Route(method, url) }
    }

    /// Sets the target of requests: a path under a source, with percent-encoded values for its `{name}` placeholders. If it is
    /// invalid, the calls of the chain fail.
    public func route(
        _ method: HTTPRequest.Method, _ template: String, under base: HTTPURL, parameters: [String: String] = [:]
    ) -> URLChainBuilder {
        routed { try Route(method, template, under: base, parameters: parameters) }
    }

    private func routed(_ route: @escaping @Sendable () throws -> Route) -> URLChainBuilder {
        with(\.route, route)
    }

    /// Adds query parameters; those of the same name are replaced.
    public func set(query: [String: QueryValue]) -> URLChainBuilder {
        with(\.query, self.query.merging(query) { _, later in later })
    }

    /// Sets how Booleans are written in queries and forms: `flag=1` by default, or `flag=true`.
    public func set(boolEncodingStrategy strategy: QueryEncoding.BoolStrategy) -> URLChainBuilder {
        with(\.queryEncoding.bools, strategy)
    }

    /// Sets how lists are written in queries and forms: `a[]=1&a[]=2` by default, `a=1&a=2`, or `a=1,2`.
    public func set(arrayEncodingStrategy strategy: QueryEncoding.ArrayStrategy) -> URLChainBuilder {
        with(\.queryEncoding.arrays, strategy)
    }

    /// Sets how objects are written in queries and forms: `d[age]=23` by default, or `d.age=23`.
    public func set(dictEncodingStrategy strategy: QueryEncoding.DictionaryStrategy) -> URLChainBuilder {
        with(\.queryEncoding.dictionaries, strategy)
    }

    /// Sets header fields; those of the same name are replaced.
    public func set(metadata: HTTPFields) -> URLChainBuilder {
        var fields = self.metadata
        for field in metadata { fields[field.name] = metadata[field.name] }
        return with(\.metadata, fields)
    }

    /// Adds a provider that is called on each attempt, after those added before.
    public func add(provider: any MetadataProvider) -> URLChainBuilder {
        with(\.assembly.providers, assembly.providers + [provider])
    }

    /// Adds a custom node at the end of the request half, after those added before; it runs once per call.
    public func add(node: some Node<RequestDraft, RequestDraft>) -> URLChainBuilder {
        with(\.requestNodes, requestNodes + [node])
    }

    /// Sets how models become part of the request, for every method.
    public func encode(as encoding: BodyEncoding) -> URLChainBuilder { with(\.encoding, encoding) }

    /// Excludes the events of these nodes from the log.
    public func log(exclude names: Set<String>) -> URLChainBuilder {
        with(\.assembly.logExclusions, assembly.logExclusions.union(names))
    }

    /// Keeps the requests signed in.
    public func access(_ safety: AccessSafety) -> URLChainBuilder { with(\.assembly.access, safety) }

    /// Takes the value of a response from `path`, such as `$.data`.
    public func envelope(at path: JSONPath, isOptional: Bool = false) -> URLChainBuilder {
        with(\.envelope, ResponseEnvelopeNode(at: path, isOptional: isOptional))
    }

    /// Turns the origin's own error format into the program's errors.
    public func errors(_ envelope: ResponseErrorEnvelopeNode) -> URLChainBuilder {
        with(\.assembly.errorEnvelope, envelope)
    }

    /// Stores responses, for conditional requests and for `buildCached` and `buildCacheThenServer`.
    ///
    /// Stored responses are looked up without calling providers and middlewares, which may need the network. Therefore put
    /// fields that the origin varies on, such as a language, into the metadata.
    public func cache(_ responses: any ResponseCache, keying: CacheKeying) -> URLChainBuilder {
        with(\.assembly, assembly.cache(responses, keying: keying))
    }

    /// Reports the transfer progress to the `CallHandle` of each call.
    public func reportProgress() -> URLChainBuilder { with(\.assembly.reportsProgress, true) }
}
