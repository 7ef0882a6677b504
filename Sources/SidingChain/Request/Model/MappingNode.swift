/// Maps what goes into a chain, and what comes back: the one node behind ``ModelInputNode`` and ``DTOMapperNode``, which
/// differ in what they map by themselves and in the name that failures and logs carry.
public struct MappingNode<Role: MappingRole, Input: Sendable, Output: Sendable, Wrapped: Node>: Node {
    private let wrapped: Wrapped
    private let input: ModelMapping<Input, Wrapped.Input>
    private let output: ModelMapping<Wrapped.Output, Output>

    /// - Parameters:
    ///   - wrapped: takes and gives what the mappings lead to.
    ///   - input: from what comes in to what `wrapped` takes.
    ///   - output: from what `wrapped` gives to what leaves.
    public init(
        _ wrapped: Wrapped, input: ModelMapping<Input, Wrapped.Input>, output: ModelMapping<Wrapped.Output, Output>
    ) {
        self.wrapped = wrapped
        self.input = input
        self.output = output
    }

    public var name: String { Role.nodeName }

    public var steps: [String] { ["\(name)(\(wrapped.steps.joined(separator: " → ")))"] }

    public func process(_ value: Input, _ context: ChainContext) async throws(Failure) -> Output {
        let mapped = try input(value, of: Input.self, phase: .notSent, node: name)
        let answer = try await wrapped.process(mapped, context)
        return try output(answer, of: Output.self, phase: .answered, node: name)
    }
}

extension MappingNode where Output == Wrapped.Output {
    /// What comes back leaves as it is.
    public init(_ wrapped: Wrapped, input: ModelMapping<Input, Wrapped.Input>) {
        self.init(wrapped, input: input, output: .itself)
    }
}

extension MappingNode where Input == Wrapped.Input {
    /// What comes in travels as it is.
    public init(_ wrapped: Wrapped, output: ModelMapping<Wrapped.Output, Output>) {
        self.init(wrapped, input: .itself, output: output)
    }
}

/// Between which forms a ``MappingNode`` stands: ``ModelRole`` or ``DTORole``.
public protocol MappingRole: Sendable {
    static var nodeName: String { get }
}
