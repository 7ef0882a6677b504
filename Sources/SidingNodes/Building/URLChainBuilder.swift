// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import HTTPTypes
public import SidingChain
public import SidingJSON

/// Configures a chain step by step, then builds it.
///
/// ```swift
/// let builder = try URLChainBuilder(baseURL: "https://api.example.com/v2")
/// let signIn: Chain<Credentials, Session> = builder.route(.post, "/session").encode(as: .formURL).build()
/// let me: Chain<Void, User> = builder.route(.get, "/me").log(exclude: ["RequestSenderNode"]).build()
/// ```
/// A builder is a value: each method returns a changed copy, so that a partly configured one can serve many chains. Every form
/// of `build` uses the same `ChainAssembly`.
public struct URLChainBuilder: Sendable, Changeable {
    /// The nodes around every chain of this builder.
    public var assembly: ChainAssembly
    /// The URL that paths of ``route(_:_:under:parameters:)`` are under; nil for none.
    public var baseURL: HTTPURL?
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
    var target = RequestTarget.missing
    /// What was wrong with an earlier setting; the calls of the chain fail with it.
    var fault: Failure?
    var requestNodes: [any Node<RequestDraft, RequestDraft>] = []
    var loadIndicator: LoadIndicator?
    var executor: (any TaskExecutor)?
    var priority: TaskPriority?

    /// A builder over an assembly of your own. Without a route its chains fail with `Failure.Reason.invalidRequest`.
    ///
    /// - Parameters:
    ///   - assembly: the transport, and what all chains have around them.
    ///   - baseURL: what paths are under; nil, the default, if each route says it.
    public init(_ assembly: ChainAssembly, baseURL: HTTPURL? = nil) {
        self.assembly = assembly.with(\.isAbortable, true)
        self.baseURL = baseURL
    }

    /// Sets the target of requests.
    public func route(_ method: HTTPRequest.Method, _ url: HTTPURL) -> URLChainBuilder {
        with(\.target, .url(method, url))
    }

    /// Sets the target of requests: a path with percent-encoded values for its `{name}` placeholders. Values that depend on the
    /// input of the chain come from its ``RequestCoding``: `build(.path { ["id": "\($0)"] }, .json)`.
    ///
    /// The calls of the chain fail with `Failure.Reason.invalidRequest` if a placeholder has no value, a value no placeholder, or
    /// the path no base.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - template: the path, which may have a query.
    ///   - base: what the path is under; ``baseURL`` by default.
    ///   - parameters: the values that are the same for all calls.
    public func route(
        _ method: HTTPRequest.Method, _ template: String, under base: HTTPURL? = nil, parameters: [String: String] = [:]
    ) -> URLChainBuilder {
        with(\.target, .path(method, template, under: base, parameters))
    }

    /// Adds query parameters; those of the same name are replaced.
    public func set(query: [String: QueryValue]) -> URLChainBuilder {
        with(\.query, self.query.merging(query) { _, later in later })
    }

    /// Sets how Booleans are written in queries and forms: `flag=1` by default, `flag=true`, or as a type of your own says.
    public func set(boolEncodingStrategy strategy: some QueryEncoding.BoolStrategy) -> URLChainBuilder {
        with(\.queryEncoding.bools, strategy)
    }

    /// Sets how lists are written in queries and forms: `a[]=1&a[]=2` by default, `a=1&a=2`, `a=1,2`, or as a type
    /// of your own says.
    public func set(arrayEncodingStrategy strategy: some QueryEncoding.ArrayStrategy) -> URLChainBuilder {
        with(\.queryEncoding.arrays, strategy)
    }

    /// Sets how objects are written in queries and forms: `d[age]=23` by default, `d.age=23`, or as a type of your own says.
    public func set(dictEncodingStrategy strategy: some QueryEncoding.DictionaryStrategy) -> URLChainBuilder {
        with(\.queryEncoding.dictionaries, strategy)
    }

    /// Sets header fields; those of the same name are replaced.
    public func set(metadata: HTTPFields) -> URLChainBuilder {
        var fields = self.metadata
        for field in metadata { fields[field.name] = metadata[field.name] }
        return with(\.metadata, fields)
    }

    /// Sets header fields by their names as text; those of the same name are replaced.
    ///
    /// The calls of the chain fail with `Failure.Reason.invalidRequest` if a name is not that of a field or occurs twice, or a
    /// value has characters that fields may not have.
    @_disfavoredOverload
    public func set(metadata: [String: String]) -> URLChainBuilder {
        do throws(Failure) {
            return set(metadata: try HTTPFields(metadata.mapValues(QueryValue.string), of: "set(metadata:)"))
        } catch {
            return with(\.fault, fault ?? error)
        }
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
    public func log(exclude names: some Sequence<String>) -> URLChainBuilder {
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

    /// Reports the transfer progress to the `CallHandle` of each call, and to closures.
    ///
    /// ```swift
    /// builder.route(.get, "/map.pbf").reportProgress { print($0.fraction ?? 0) }.buildDownload(to: file)
    /// ```
    /// - Parameters:
    ///   - download: told the progress of each response body: at its start, at most once per percent, and at its end.
    ///   - upload: told the same of each request body.
    public func reportProgress(
        download: (@Sendable (TransferProgress) -> Void)? = nil, upload: (@Sendable (TransferProgress) -> Void)? = nil
    ) -> URLChainBuilder {
        with(\.assembly.programNodes.reportsProgress, true)
            .with(\.assembly.programNodes.downloadProgress, download ?? assembly.programNodes.downloadProgress)
            .with(\.assembly.programNodes.uploadProgress, upload ?? assembly.programNodes.uploadProgress)
    }

    /// Counts the calls in flight of every chain for `indicator`, which several builders may share.
    public func indicateLoad(on indicator: LoadIndicator) -> URLChainBuilder { with(\.loadIndicator, indicator) }

    /// Sets where chains run, and how urgently; see ``ChainConfiguratorNode``.
    ///
    /// - Parameters:
    ///   - executor: runs the steps of a chain; nil, the default, for the caller's, or, with a priority, the shared pool.
    ///   - priority: the priority of the calls; nil, the default, for the caller's own.
    public func run(on executor: (any TaskExecutor)? = nil, priority: TaskPriority? = nil) -> URLChainBuilder {
        with(\.executor, executor).with(\.priority, priority)
    }

    /// Selects the middlewares that run for the requests of the chain, in addition to filters set before: all of them must
    /// allow a middleware.
    public func filter(middlewares filter: MiddlewareFilter) -> URLChainBuilder {
        add(node: MiddlewareFilterNode(filter))
    }
}
