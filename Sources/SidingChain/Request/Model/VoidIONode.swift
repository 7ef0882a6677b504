/// A chain without input and output: a request without a body, and nothing but whether it went well.
public struct VoidIONode<Wrapped: Node>: WrapperNode where Wrapped.Input: ExpressibleByNilLiteral {
    public let wrapped: Wrapped

    public init(_ wrapped: Wrapped) {
        self.wrapped = wrapped
    }

    public func process(_ input: Void, _ context: ChainContext) async throws(Failure) {
        _ = try await wrapped.process(nil, context)
    }
}

/// A chain without input: nothing is sent, not even `{}` or `null`.
///
/// It wraps a chain whose input is optional, and gives it nil: a ``RequestModel`` without raw data has no body.
public struct VoidInputNode<Wrapped: Node>: WrapperNode where Wrapped.Input: ExpressibleByNilLiteral {
    public let wrapped: Wrapped

    public init(_ wrapped: Wrapped) {
        self.wrapped = wrapped
    }

    public func process(_ input: Void, _ context: ChainContext) async throws(Failure) -> Wrapped.Output {
        try await wrapped.process(nil, context)
    }
}

/// A chain without output: what comes back is left aside, and that nothing failed is the answer.
///
/// Wrap what ends before parsing, and an origin that answers a write with `OK` in plain text has done it well.
public struct VoidOutputNode<Wrapped: Node>: WrapperNode {
    public let wrapped: Wrapped

    public init(_ wrapped: Wrapped) {
        self.wrapped = wrapped
    }

    public func process(_ input: Wrapped.Input, _ context: ChainContext) async throws(Failure) {
        _ = try await wrapped.process(input, context)
    }
}
