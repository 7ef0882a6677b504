/// Counts a chain's calls in flight for a ``LoadIndicator``, down again on every way out.
///
/// Several nodes may share one indicator, which then shows their sum.
public struct LoadIndicatableNode<Wrapped: Node>: Node {
    private let wrapped: Wrapped
    private let indicator: LoadIndicator

    public init(_ wrapped: Wrapped, indicator: LoadIndicator) {
        self.wrapped = wrapped
        self.indicator = indicator
    }

    public var steps: [String] { ["\(name)(\(wrapped.steps.joined(separator: " → ")))"] }

    public func process(_ input: Wrapped.Input, _ context: ChainContext) async throws(Failure) -> Wrapped.Output {
        indicator.begin()
        defer { indicator.end() }
        return try await wrapped.process(input, context)
    }
}
