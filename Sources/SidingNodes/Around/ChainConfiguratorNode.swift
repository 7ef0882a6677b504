// SPDX-License-Identifier: Apache-2.0
public import SidingChain
internal import SidingSynchronization

/// Sets the executor and the priority of a chain.
///
/// The chain leaves the caller's actor. Task-locals are kept, cancellation passes through, and the call ends when the chain
/// does. The executor applies to the whole chain, even if a node creates a task for the call, as `AborterNode` does in every
/// built chain. The priority is used as given, lower or higher than the caller's. With a priority, the executor of an outer
/// ``ChainConfiguratorNode`` is kept, but not one set by `withTaskExecutorPreference`.
public struct ChainConfiguratorNode<Wrapped: Node>: WrapperNode {
    public let wrapped: Wrapped
    private let executor: (any TaskExecutor)?
    private let priority: TaskPriority?

    /// - Parameters:
    ///   - wrapped: the nodes inside.
    ///   - executor: runs the chain's steps; nil for the caller's, or, with a priority, the shared pool.
    ///   - priority: nil for the caller's own.
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
            outcome = await wrapped.outcome(of: input, context)
        }
        return try outcome.get()
    }

    private typealias Outcome = Result<Wrapped.Output, Failure>

    /// Uses a new task: a structured child, or a task whose value is awaited, would run at the priority of the waiting parent.
    /// It does not outlive the call: this waits for its end on every path.
    private func run(_ input: Wrapped.Input, _ context: ChainContext, _ priority: TaskPriority) async -> Outcome {
        let end = Promise<Outcome>()
        let task = Task(executorPreference: context.executor, priority: priority) {
            _ = end.resolve(await wrapped.outcome(of: input, context))
        }
        return await withTaskCancellationHandler {
            await end.value()
        } onCancel: {
            task.cancel()
        }
    }

    /// `@concurrent` leaves the actor explicitly, regardless of how the surrounding closure is isolated.
    @concurrent private func runOffActor(_ input: Wrapped.Input, _ context: ChainContext) async -> Outcome {
        await wrapped.outcome(of: input, context)
    }
}
