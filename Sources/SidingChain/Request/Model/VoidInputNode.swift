/// A chain without input: nothing is sent, not even `{}` or `null`.
///
/// It wraps a chain whose input is optional, and gives it nil: a ``RequestModel`` without raw data has no body.
public struct VoidInputNode<Wrapped: Node>: Node where Wrapped.Input: ExpressibleByNilLiteral {
    private let wrapped: Wrapped

    public init(_ wrapped: Wrapped) {
        self.wrapped = wrapped
    }

    public var steps: [String] { ["\(name)(\(wrapped.steps.joined(separator: " → ")))"] }

    public func process(_ input: Void, _ context: ChainContext) async throws(Failure) -> Wrapped.Output {
        try await wrapped.process(nil, context)
    }
}
