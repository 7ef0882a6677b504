internal import SidingSynchronization

/// Says where a chain runs: on which executor, and how urgently.
///
/// The chain leaves the caller's actor. Task-locals are kept, cancellation passes through, and the call ends when the
/// chain does. The executor holds for the whole chain, also where a node gives the call a task of its own, as
/// ``AborterNode`` does in every built chain. A priority is held to as it is said, lower or higher than the caller's; with
/// one, the executor of a node like this further out is taken over, but not one by `withTaskExecutorPreference`.
public struct ChainConfiguratorNode<Wrapped: Node>: WrapperNode {
    public let wrapped: Wrapped
    private let executor: (any TaskExecutor)?
    private let priority: TaskPriority?

    /// - Parameters:
    ///   - executor: where the chain's steps run; nil for where the caller's run, or, with a priority, the shared pool.
    ///   - priority: how urgently; nil for the caller's own.
    public init(_ wrapped: Wrapped, executor: (any TaskExecutor)? = nil, priority: TaskPriority? = nil) {
        self.wrapped = wrapped
        self.executor = executor
        self.priority = priority
    }

    public func process(_ input: Wrapped.Input, _ context: ChainContext) async throws(Failure) -> Wrapped.Output {
        let executor = executor ?? context.executor
        var context = context
        context.executor = executor
        let outcome: Outcome
        if let priority {
            outcome = await run(input, context, priority)
        } else if let executor {
            outcome = await withTaskExecutorPreference(executor) { [context] in await runOffActor(input, context) }
        } else {
            outcome = await run(input, context)
        }
        return try outcome.get()
    }

    private typealias Outcome = Result<Wrapped.Output, Failure>

    /// In a task of its own: a structured child runs at the priority of the parent that waits for it, whatever was asked
    /// for, and so would a task whose value is awaited. It does not outlive the call: this waits for its end on every path.
    private func run(_ input: Wrapped.Input, _ context: ChainContext, _ priority: TaskPriority) async -> Outcome {
        let end = Promise<Outcome>()
        let task = Task(executorPreference: context.executor, priority: priority) {
            _ = end.settle(await run(input, context))
        }
        return await withTaskCancellationHandler {
            await end.value()
        } onCancel: {
            task.cancel()
        }
    }

    /// Leaves the actor by its own word, not by how the closure around it happens to be isolated.
    @concurrent private func runOffActor(_ input: Wrapped.Input, _ context: ChainContext) async -> Outcome {
        await run(input, context)
    }

    private func run(_ input: Wrapped.Input, _ context: ChainContext) async -> Outcome {
        do throws(Failure) { return .success(try await wrapped.process(input, context)) } catch {
            return .failure(error)
        }
    }
}
