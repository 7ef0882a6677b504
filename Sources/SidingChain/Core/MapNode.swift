/// Turns a value into another with the user's function.
public struct MapNode<Input: Sendable, Output: Sendable>: Node {
    private let transform: @Sendable (Input) throws -> Output

    public init(_ transform: @escaping @Sendable (Input) throws -> Output) {
        self.transform = transform
    }

    public func process(_ input: Input, _ context: ChainContext) async throws(Failure) -> Output {
        do { return try transform(input) } catch { throw Failure.wrapping(error, phase: .answered).at(node: name) }
    }
}
