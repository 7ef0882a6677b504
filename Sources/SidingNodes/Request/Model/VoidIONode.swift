// SPDX-License-Identifier: Apache-2.0
public import SidingChain

/// A chain without input and output: a request without a body, whose response is ignored unless it is a failure.
public struct VoidIONode<Wrapped: Node>: WrapperNode where Wrapped.Input: ExpressibleByNilLiteral {
    public let wrapped: Wrapped

    /// Calls `wrapped` with nil and drops its output.
    public init(_ wrapped: Wrapped) {
        self.wrapped = wrapped
    }

    public func process(_ input: Void, _ context: ChainContext) async throws(Failure) {
        _ = try await wrapped.process(nil, context)
    }
}

/// A chain without input: no body is sent, not even `{}` or `null`.
///
/// Passes nil to a chain whose input is optional: a ``RequestModel`` without raw data has no body.
public struct VoidInputNode<Wrapped: Node>: WrapperNode where Wrapped.Input: ExpressibleByNilLiteral {
    public let wrapped: Wrapped

    /// Calls `wrapped` with nil and returns its output.
    public init(_ wrapped: Wrapped) {
        self.wrapped = wrapped
    }

    public func process(_ input: Void, _ context: ChainContext) async throws(Failure) -> Wrapped.Output {
        try await wrapped.process(nil, context)
    }
}

/// A chain without output: the response is ignored unless it is a failure.
///
/// Wrap a chain that ends before parsing, so that an origin may respond to a write with `OK` in plain text.
public struct VoidOutputNode<Wrapped: Node>: WrapperNode {
    public let wrapped: Wrapped

    /// Calls `wrapped` and drops its output; its failures still end the call.
    public init(_ wrapped: Wrapped) {
        self.wrapped = wrapped
    }

    public func process(_ input: Wrapped.Input, _ context: ChainContext) async throws(Failure) {
        _ = try await wrapped.process(input, context)
    }
}
