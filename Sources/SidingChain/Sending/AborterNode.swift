// SPDX-License-Identifier: Apache-2.0
/// Makes a call cancellable at any time: by its ``CallHandle``, and by cancelling the task that waits for it.
///
/// It is the outermost node, around retries too, since a handle serves one call. A call cancelled before it begins sends
/// nothing. Later it fails with ``Failure/Reason/cancelled``, in the phase that the request has reached, and the connection is
/// closed. If a write was answered with success, neither way of cancelling has an effect: the response is read to its end,
/// within the transport's time limits. A call whose output is a ``Reply`` lasts until its body has been read or dropped, one
/// whose output is a `ResponseSequence` of `SidingNodes` until that has ended or was dropped.
public struct AborterNode<Wrapped: Node>: WrapperNode {
    public let wrapped: Wrapped
    private let handle: CallHandle?

    /// - Parameters:
    ///   - wrapped: the nodes inside.
    ///   - handle: limits this node to a single call; nil, the default, uses the handle of each call's context.
    public init(_ wrapped: Wrapped, handle: CallHandle? = nil) {
        self.wrapped = wrapped
        self.handle = handle
    }

    public func process(_ input: Wrapped.Input, _ context: ChainContext) async throws(Failure) -> Wrapped.Output {
        let handle = handle ?? context.handle ?? CallHandle()
        var context = context
        context.handle = handle
        do throws(Failure) { try handle.begin(isCancelled: Task.isCancelled) } catch { throw error.at(node: name) }
        let call = AbortableCall(handle, executor: context.executor)
        let output = try await call.run { [context] () async throws(Failure) -> Wrapped.Output in
            try await wrapped.process(input, context)
        }
        return (output as? any OutlivingOutput)?.continued(call) as? Wrapped.Output ?? output
    }
}

/// An output whose call goes on after the chain has returned it.
package protocol OutlivingOutput: Sendable {
    /// The same output, which keeps the call alive and cancellable.
    func continued(_ call: AbortableCall) -> Self
}

extension ReplyBody: OutlivingOutput {
    package func continued(_ call: AbortableCall) -> ReplyBody {
        ReplyBody(length: length) { () async throws(Failure) -> [UInt8]? in
            try await call.run { () async throws(Failure) -> [UInt8]? in try await next() }
        }
    }
}

extension ReplyBody?: OutlivingOutput {
    package func continued(_ call: AbortableCall) -> ReplyBody? { self?.continued(call) }
}

extension ChainResponse: OutlivingOutput where Body: OutlivingOutput {
    package func continued(_ call: AbortableCall) -> ChainResponse { with(body: body.continued(call)) }
}

/// A call that its handle can cancel. It ends when the last reference is released.
package final class AbortableCall: Sendable {
    private let handle: CallHandle
    private let executor: (any TaskExecutor)?

    init(_ handle: CallHandle, executor: (any TaskExecutor)?) {
        (self.handle, self.executor) = (handle, executor)
    }

    deinit {
        handle.end()
    }

    /// Runs a part of the call so that only the handle decides whether it is cancelled.
    ///
    /// It uses a new task, since a child task would be cancelled with its parent even while the response to a write is
    /// arriving. The task is awaited here and never outlives this function. It does not inherit the executor, so that is passed
    /// on.
    package func run<Output: Sendable>(
        _ part: @escaping @Sendable () async throws(Failure) -> Output
    ) async throws(Failure) -> Output {
        handle.detach()
        let task = Task(executorPreference: executor) { [handle] () async -> Result<Output, Failure> in
            // Otherwise a cancellation that came before the handle has this task would have no effect.
            await handle.attached()
            do throws(Failure) { return .success(try await part()) } catch { return .failure(error) }
        }
        handle.attach { task.cancel() }
        return try await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            handle.cancel()
        }
        .get()
    }
}
