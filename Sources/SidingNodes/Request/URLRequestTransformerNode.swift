// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes
public import SidingChain

/// The metadata and raw data of a request, before its route is known.
public struct RequestModel<Raw: Sendable>: Sendable {
    /// Header fields for HTTP; another kind of transport maps them in its own way.
    public var metadata: HTTPFields
    /// Nil for a request without a body, which differs from `null` and `{}`.
    public var raw: Raw?

    /// By default a request without header fields of its own and without a body.
    public init(metadata: HTTPFields = [:], raw: Raw? = nil) {
        self.metadata = metadata
        self.raw = raw
    }
}

extension RequestModel: Equatable where Raw: Equatable {}

/// Combines metadata with the raw data of a request, which may be nil.
public struct MetadataConnectorNode<Raw: Sendable>: Node {
    private let metadata: HTTPFields

    /// - Parameter metadata: the same for every call; use a `MetadataProvider` for values that change from call to call.
    public init(_ metadata: HTTPFields = [:]) {
        self.metadata = metadata
    }

    public func process(_ input: Raw?, _ context: ChainContext) async throws(Failure) -> RequestModel<Raw> {
        RequestModel(metadata: metadata, raw: input)
    }
}

/// Adds a route to a request and turns its metadata into header fields; ``RequestEncoderNode`` then encodes the body.
public struct URLRequestTransformerNode<Raw: Sendable>: Node {
    private let route: @Sendable (Raw?) throws -> RequestRoute

    /// - Parameter route: the route of every request.
    public init(_ route: RequestRoute) {
        self.route = { _ in route }
    }

    /// - Parameter route: returns the route of a request; an error that it throws, such as for a missing route, ends the call.
    public init(_ route: @escaping @Sendable (Raw?) throws -> RequestRoute) {
        self.route = route
    }

    public func process(
        _ input: RequestModel<Raw>, _ context: ChainContext
    ) async throws(Failure) -> ChainRequest<Raw?> {
        let route: RequestRoute
        do { route = try self.route(input.raw) } catch {
            throw Failure.wrapping(error, phase: .notSent).at(node: name)
        }
        return ChainRequest(route: route, headerFields: input.metadata, body: input.raw)
    }
}
