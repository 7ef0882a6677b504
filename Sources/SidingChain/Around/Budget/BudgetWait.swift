internal import Logging

/// Waits for a place in a budget, as long as that is worth it.
struct BudgetWait: Sendable {
    /// A place that is free this very moment may have been taken by another when one looks.
    private static let shortest = Duration.milliseconds(1)
    private static let worthTelling = Duration.seconds(1)

    let patience: Duration
    let clock: any Clock<Duration>
    let secondsSince1970: @Sendable () -> Double

    /// Returns when it is worth trying again; `waited` says how long that took in all.
    ///
    /// - Throws: `failure` where it has another reason or the wait would be too long, ``Failure/Reason/cancelled``.
    func rest(after failure: Failure, waited: inout Duration, _ context: ChainContext? = nil) async throws(Failure) {
        guard failure.reason == .waitingForOrigin, let spent = failure.underlying as? BudgetSpent else { throw failure }
        let seconds = min(max(spent.until - secondsSince1970(), 0), 86_400)
        let wait = max(.microseconds(Int64((seconds * 1_000_000).rounded(.up))), Self.shortest)
        guard waited + wait <= patience else { throw failure }
        // Short waits are many: the first of them says it for all.
        if waited == .zero || wait >= Self.worthTelling {
            context?.log(
                .info, "request waits for its turn", node: "BudgetWaitNode",
                ["wait": "\(wait)", "because": "\(spent.description)"])
        }
        do { try await clock.sleep(for: wait) } catch {
            throw Failure(.cancelled, phase: failure.phase, detail: "while it waited for its turn")
                .at(method: failure.method, url: failure.url)
        }
        waited += wait
    }
}

/// Tries again when there may be a place for the request, where there was none.
struct BudgetWaitNode<Wrapped: Node>: Node {
    private let wrapped: Wrapped
    private let wait: BudgetWait

    init(_ wrapped: Wrapped, _ wait: BudgetWait) {
        (self.wrapped, self.wait) = (wrapped, wait)
    }

    var steps: [String] { ["\(name)(\(wrapped.steps.joined(separator: " → ")))"] }

    func process(_ input: Wrapped.Input, _ context: ChainContext) async throws(Failure) -> Wrapped.Output {
        var waited = Duration.zero
        while true {
            do { return try await wrapped.process(input, context) } catch {
                // A redirect has waited already, and the request before it is out.
                guard error.phase == .notSent else { throw error }
                try await wait.rest(after: error, waited: &waited, context)
            }
        }
    }
}
