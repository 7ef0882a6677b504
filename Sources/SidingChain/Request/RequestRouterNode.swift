public import HTTPTypes

/// Turns the chain's input into a draft with method and URL.
public struct RequestRouterNode<Input: Sendable>: Node {
    private let draft: @Sendable (Input) throws -> RequestDraft

    /// A router that calls `draft` for each input. If there is no route, throw an error; it becomes a failure, never a trap.
    public init(_ draft: @escaping @Sendable (Input) throws -> RequestDraft) {
        self.draft = draft
    }

    public func process(_ input: Input, _ context: ChainContext) async throws(Failure) -> RequestDraft {
        do { return try draft(input) } catch { throw Failure.wrapping(error, phase: .notSent).at(node: name) }
    }
}

/// Combines metadata with the raw data of a request, which may be nil.
public struct MetadataConnectorNode<Raw: Sendable>: Node {
    private let metadata: HTTPFields

    /// - Parameter metadata: the same for every call; use a ``MetadataProvider`` for values that change from call to call.
    public init(_ metadata: HTTPFields = [:]) {
        self.metadata = metadata
    }

    public func process(_ input: Raw?, _ context: ChainContext) async throws(Failure) -> RequestModel<Raw> {
        RequestModel(metadata: metadata, raw: input)
    }
}

/// Adds a route to a request and turns its metadata into header fields; ``RequestEncoderNode`` then encodes the body.
public struct URLRequestTransformerNode<Raw: Sendable>: Node {
    private let route: @Sendable (Raw?) throws -> Route

    /// - Parameter route: the route of every request.
    public init(_ route: Route) {
        self.route = { _ in route }
    }

    /// - Parameter route: returns the route of a request; an error that it throws, such as for a missing route, ends the call.
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

/// Appends query parameters to the route's query, computed anew on each attempt.
public struct URLQueryInjectorNode: Node {
    private let encoding: QueryEncoding
    private let parameters: @Sendable () async throws -> [String: QueryValue]

    /// An injector of the result of `parameters`, encoded by `encoding`.
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
