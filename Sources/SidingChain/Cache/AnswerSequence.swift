/// One or two answers to one call: what is stored, then what the origin says, each with its source.
///
/// The origin is asked when the second answer is waited for, by the task that waits; who stops after the first asks
/// nobody. Each iteration is a call of its own.
public struct AnswerSequence<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Sourced<Value>
    public typealias Failure = SidingChain.Failure

    /// A stored answer and its bytes.
    typealias Stored = (answer: Sourced<Value>, bytes: [UInt8]?)

    /// Gives what is stored.
    let stored: @Sendable () async -> Stored?
    /// Asks the origin, after what was told already; nil where it has nothing to add.
    let asked: @Sendable (Stored?) async throws(Failure) -> Sourced<Value>?

    public struct AsyncIterator: AsyncIteratorProtocol {
        private enum Stage {
            case stored
            case server(after: Stored?)
            case ended
        }

        private let sequence: AnswerSequence
        private var stage = Stage.stored

        init(_ sequence: AnswerSequence) {
            self.sequence = sequence
        }

        /// - Throws: what kept the origin from answering, also after a stored answer.
        public mutating func next() async throws(SidingChain.Failure) -> Sourced<Value>? {
            if case .stored = stage {
                let found = await sequence.stored()
                stage = .server(after: found)
                if let found { return found.answer }
            }
            guard case .server(let told) = stage else { return nil }
            stage = .ended
            return try await sequence.asked(told)
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(self)
    }
}
