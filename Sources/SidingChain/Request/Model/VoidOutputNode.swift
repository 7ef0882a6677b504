/// A chain without output: what comes back is left aside, and that nothing failed is the answer.
///
/// Wrap what ends before parsing, and an origin that answers a write with `OK` in plain text has done it well.
public struct VoidOutputNode<Wrapped: Node>: Node {
    private let wrapped: Wrapped

    public init(_ wrapped: Wrapped) {
        self.wrapped = wrapped
    }

    public var steps: [String] { ["\(name)(\(wrapped.steps.joined(separator: " → ")))"] }

    public func process(_ input: Wrapped.Input, _ context: ChainContext) async throws(Failure) {
        _ = try await wrapped.process(input, context)
    }
}
