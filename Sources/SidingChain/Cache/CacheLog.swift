internal import Logging

/// Lets a cache fail without the call: what it says goes to the call's log.
struct CacheLog: Sendable {
    private let context: ChainContext
    private let node: String

    init(_ context: ChainContext, node: String) {
        (self.context, self.node) = (context, node)
    }

    /// What `body` gives, or nil where the cache failed.
    @discardableResult
    func attempt<Value>(_ body: () async throws -> Value) async -> Value? {
        do { return try await body() } catch let thrown {
            let error = Failure.wrapping(thrown, phase: .notSent)
            guard !context.logExclusions.contains(node) else { return nil }
            context.logger.warning(
                "response cache failed",
                metadata: [
                    "request": "\(context.requestID)", "node": "\(node)", "failure": "\(error.reason.name)",
                    "detail": "\(error.detail ?? "")",
                ])
            return nil
        }
    }
}
