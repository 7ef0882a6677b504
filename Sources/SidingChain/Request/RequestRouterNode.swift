/// Turns the chain's input into a draft with method and URL: where the request goes.
public struct RequestRouterNode<Input: Sendable>: Node {
    private let draft: @Sendable (Input) throws -> RequestDraft

    /// A router that asks `draft` where an input goes. A missing route is a thrown failure, never a trap.
    public init(_ draft: @escaping @Sendable (Input) throws -> RequestDraft) {
        self.draft = draft
    }

    public func process(_ input: Input, _ context: ChainContext) async throws(Failure) -> RequestDraft {
        do { return try draft(input) } catch { throw Failure.wrapping(error, phase: .notSent).at(node: name) }
    }
}
