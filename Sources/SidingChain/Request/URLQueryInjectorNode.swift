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
