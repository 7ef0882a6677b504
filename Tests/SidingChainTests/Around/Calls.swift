// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingSynchronization

/// Starts `operation` here and now: when this returns, it has run up to its first wait.
func started<Value: Sendable>(
    priority: TaskPriority? = nil, _ operation: @escaping @Sendable () async -> Value
) -> Task<Value, Never> {
    Task.immediate(priority: priority) { await operation() }
}

extension Node {
    /// The outcome of a call that was started here and now.
    func call(_ input: Input, _ context: ChainContext = .test) -> Task<Result<Output, Failure>, Never> {
        started {
            do throws(Failure) { return .success(try await process(input, context)) } catch {
                return .failure(error)
            }
        }
    }
}

extension Result where Failure == SidingChain.Failure {
    var value: Success? { try? get() }
    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}

/// Keeps values in the order in which closures that run at once gave them.
final class Notes<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    var all: [Value] { values.withLock { $0 } }
    func append(_ value: Value) { values.withLock { $0.append(value) } }
}
