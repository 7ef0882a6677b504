// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingSynchronization

/// A node for tests: what it does is a closure.
struct Step<Input: Sendable, Output: Sendable>: Node {
    let run: @Sendable (Input, ChainContext) async throws(Failure) -> Output

    init(_ run: @escaping @Sendable (Input, ChainContext) async throws(Failure) -> Output) {
        self.run = run
    }

    func process(_ input: Input, _ context: ChainContext) async throws(Failure) -> Output {
        try await run(input, context)
    }
}

/// Counts what happens in closures that run at once.
final class Counter: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }
    @discardableResult func next() -> Int {
        value.withLock {
            $0 += 1
            return $0
        }
    }
}

extension ChainContext {
    static var test: ChainContext { ChainContext(requestID: "test", isResendable: true) }
}

extension Node {
    /// The failure that a call must end in.
    func failure(_ input: Input, _ context: ChainContext = .test) async -> Failure? {
        do {
            _ = try await process(input, context)
            return nil
        } catch {
            return error
        }
    }
}
