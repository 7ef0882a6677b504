internal import HTTPTypes

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
    ) async throws(Failure) -> EncodableRequest<Raw> {
        let route: Route
        do { route = try self.route(input.raw) } catch {
            throw Failure.wrapping(error, phase: .notSent).at(node: name)
        }
        return EncodableRequest(draft: RequestDraft(route: route, headerFields: input.metadata), model: input.raw)
    }
}
