/// Lets the user's function answer for a node that failed.
public struct RecoverNode<Wrapped: Node>: Node {
    private let wrapped: Wrapped
    private let recovery: @Sendable (Failure, ChainContext) async throws -> Wrapped.Output

    public init(
        _ wrapped: Wrapped, recovery: @escaping @Sendable (Failure, ChainContext) async throws -> Wrapped.Output
    ) {
        self.wrapped = wrapped
        self.recovery = recovery
    }

    public var steps: [String] { ["\(name)(\(wrapped.steps.joined(separator: " → ")))"] }

    public func process(_ input: Wrapped.Input, _ context: ChainContext) async throws(Failure) -> Wrapped.Output {
        do {
            return try await wrapped.process(input, context)
        } catch {
            do { return try await recovery(error, context.withoutHandle) } catch let second {
                throw Failure.wrapping(second, phase: error.phase).at(node: name, method: error.method, url: error.url)
            }
        }
    }
}
