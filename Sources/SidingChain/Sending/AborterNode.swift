/// Lets a call be ended at any time: by its ``CallHandle``, and by cancelling the task that waits for it.
///
/// It goes outermost, around retries and all, since a handle serves one call. Cancelled before it begins, the call sends
/// nothing; later it ends as ``Failure/Reason/cancelled``, in the phase that the request had reached, and the connection
/// is closed. Where a write was answered with success, both ways of cancelling leave it alone: the answer is read to its
/// end, within the transport's own time limits. A call whose output is a ``Reply`` lasts until its body has been read or
/// dropped.
public struct AborterNode<Wrapped: Node>: WrapperNode {
    public let wrapped: Wrapped
    private let handle: CallHandle?

    /// - Parameter handle: makes this value serve a single call; nil, the default, for the handle of each call's context.
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
        return call.continued(in: output)
    }
}

/// A call that its handle can end. When the last reference goes, the call is over.
private final class AbortableCall: Sendable {
    private let handle: CallHandle
    private let executor: (any TaskExecutor)?

    init(_ handle: CallHandle, executor: (any TaskExecutor)?) {
        (self.handle, self.executor) = (handle, executor)
    }

    deinit {
        handle.end()
    }

    /// Runs a part of the call where the handle, and nobody else, decides whether it is cancelled.
    ///
    /// A task of its own, since a child task would be cancelled with its parent even where the answer to a write is on its
    /// way. It is waited for right here and never outlives this function. A task of its own does not inherit the executor.
    func run<Output: Sendable>(
        _ part: @escaping @Sendable () async throws(Failure) -> Output
    ) async throws(Failure) -> Output {
        handle.detach()
        let task = Task(executorPreference: executor) { [handle] () async -> Result<Output, Failure> in
            // A cancellation that came before the handle knows of this task would be heard too late.
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

    /// The same output; a body that is still to be read belongs to the call.
    func continued<Output>(in output: Output) -> Output {
        if let reply = output as? Reply { return (continued(reply) as? Output) ?? output }
        guard let content = output as? Response<ReplyBody?>, let body = content.body else { return output }
        return (content.with(body: Optional(continued(content.with(body: body)).body)) as? Output) ?? output
    }

    private func continued(_ reply: Reply) -> Reply {
        let body = reply.body
        var reply = reply
        reply.body = ReplyBody(length: body.length) { [self] () async throws(Failure) -> [UInt8]? in
            try await run { () async throws(Failure) -> [UInt8]? in try await body.next() }
        }
        return reply
    }
}
