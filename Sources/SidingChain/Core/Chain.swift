// SPDX-License-Identifier: Apache-2.0
/// A chain with its node types erased: what builders return and a program keeps.
///
/// ```swift
/// let user: Chain<Void, User> = builder.route(.get, "/me", under: base).build()
/// let me = try await user()
/// ```
/// It may be called many times at once. The calls share only what nodes share on purpose, such as caches and limits.
public struct Chain<Input: Sendable, Output: Sendable>: Node, CustomStringConvertible {
    private let whole: any Node<Input, Output>

    /// Erases the node types of `whole`, which may be a chain of any length.
    public init(_ whole: any Node<Input, Output>) {
        self.whole = whole
    }

    public var steps: [String] { whole.steps }

    public func process(_ input: Input, _ context: ChainContext) async throws(Failure) -> Output {
        try await whole.process(input, context)
    }

    /// Makes one call, with a new context unless one is given.
    public func callAsFunction(
        _ input: Input, _ context: ChainContext = ChainContext()
    ) async throws(Failure) -> Output {
        try await whole.process(input, context)
    }
}

extension Chain where Input == Void {
    /// Makes one call, with a new context unless one is given.
    public func callAsFunction(_ context: ChainContext = ChainContext()) async throws(Failure) -> Output {
        try await process((), context)
    }
}
