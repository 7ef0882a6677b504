public import HTTPTypes

/// Turns the chain's input into a draft with method and URL: where the request goes.
public struct RequestRouterNode<Input: Sendable>: Node {
    private let draft: @Sendable (Input) throws -> RequestDraft

    /// A router that asks `draft` where an input goes. A missing route is a thrown failure, never a trap.
    public init(_ draft: @escaping @Sendable (Input) throws -> RequestDraft) {
        self.draft = draft
    }

    public func process(_ input: Input, _ context: ChainContext) async throws(Failure) -> RequestDraft {
        do { return try draft(input) } catch { throw Failure.wrapping(error, phase: .notSent).at(node: name) }
    }
}

/// Joins metadata to the raw data of a request; raw data there need not be.
public struct MetadataConnectorNode<Raw: Sendable>: Node {
    private let metadata: HTTPFields

    /// - Parameter metadata: the same for every call; what changes from call to call is asked of a ``MetadataProvider``.
    public init(_ metadata: HTTPFields = [:]) {
        self.metadata = metadata
    }

    public func process(_ input: Raw?, _ context: ChainContext) async throws(Failure) -> RequestModel<Raw> {
        RequestModel(metadata: metadata, raw: input)
    }
}

/// Turns a request's metadata into header fields and puts its route beside, for ``RequestEncoderNode`` to write the rest.
public struct URLRequestTransformerNode<Raw: Sendable>: Node {
    private let route: @Sendable (Raw?) throws -> Route

    /// - Parameter route: where every request goes.
    public init(_ route: Route) {
        self.route = { _ in route }
    }

    /// - Parameter route: where a request goes; what it throws ends the call, and a missing route is such an error.
    public init(_ route: @escaping @Sendable (Raw?) throws -> Route) {
        self.route = route
    }

    public func process(
        _ input: RequestModel<Raw>, _ context: ChainContext
    ) async throws(Failure) -> Request<Raw?> {
        let route: Route
        do { route = try self.route(input.raw) } catch {
            throw Failure.wrapping(error, phase: .notSent).at(node: name)
        }
        return Request(route: route, headerFields: input.metadata, body: input.raw)
    }
}

/// Adds query parameters behind the route's own, asked for anew on each attempt.
public struct URLQueryInjectorNode: Node {
    private let encoding: QueryEncoding
    private let parameters: @Sendable () async throws -> [String: QueryValue]

    /// An injector of what `parameters` gives, encoded by `encoding`.
    public init(
        encoding: QueryEncoding = QueryEncoding(),
        _ parameters: @escaping @Sendable () async throws -> [String: QueryValue]
    ) {
        self.encoding = encoding
        self.parameters = parameters
    }

    public func process(_ input: RequestDraft, _ context: ChainContext) async throws(Failure) -> RequestDraft {
        var draft = input
        do {
            draft.route.url = draft.route.url.appending(encodedQuery: encoding.encode(try await parameters()))
        } catch {
            throw Failure.wrapping(error, phase: .notSent).at(node: name)
        }
        return draft
    }
}
