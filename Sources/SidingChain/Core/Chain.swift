internal import SidingSynchronization

/// A chain whose nodes are not part of its type: what builders give, and what a program keeps.
///
/// ```swift
/// let user: Chain<Void, User> = builder.route(.get, "/me", under: base).build()
/// let me = try await user()
/// ```
/// It may be called many times at once; the calls share nothing but what they are meant to share.
public struct Chain<Input: Sendable, Output: Sendable>: Node, CustomStringConvertible {
    private let whole: any Node<Input, Output>

    public init(_ whole: any Node<Input, Output>) {
        self.whole = whole
    }

    public var steps: [String] { whole.steps }

    public func process(_ input: Input, _ context: ChainContext) async throws(Failure) -> Output {
        try await whole.process(input, context)
    }

    /// One call, with a context of its own unless one is given.
    public func callAsFunction(
        _ input: Input, _ context: ChainContext = ChainContext()
    ) async throws(Failure) -> Output {
        try await whole.process(input, context)
    }
}

extension Chain where Input == Void {
    /// One call, with a context of its own unless one is given.
    public func callAsFunction(_ context: ChainContext = ChainContext()) async throws(Failure) -> Output {
        try await process((), context)
    }
}

extension ChainContext {
    /// A context whose request is named by its number within the process.
    ///
    /// - Parameter handle: ends the call and tells its progress; a new one for each call.
    public init(handle: CallHandle? = nil) {
        self.init(requestID: "request \(Self.counter.add(1, ordering: .relaxed).newValue)", handle: handle)
    }

    private static let counter = Atomic<Int>(0)
}
