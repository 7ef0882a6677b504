/// A chain without input and output: a request without a body, and nothing but whether it went well.
public struct VoidIONode<Wrapped: Node>: Node where Wrapped.Input: ExpressibleByNilLiteral {
    private let wrapped: Wrapped

    public init(_ wrapped: Wrapped) {
        self.wrapped = wrapped
    }

    public var steps: [String] { ["\(name)(\(wrapped.steps.joined(separator: " → ")))"] }

    public func process(_ input: Void, _ context: ChainContext) async throws(Failure) {
        _ = try await wrapped.process(nil, context)
    }
}
