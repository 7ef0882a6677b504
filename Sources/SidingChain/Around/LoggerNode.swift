// SPDX-License-Identifier: Apache-2.0
internal import Logging

/// Logs the events of a call: those of the nodes inside, and its end (duration, failure).
///
/// Each event carries the request ID, the node and its number within the call, so that concurrent calls can be told apart.
/// Messages are static and values are metadata; secrets are already removed. Events of nodes that the context or this node
/// excludes by name are dropped.
public struct LoggerNode<Wrapped: Node>: WrapperNode {
    public let wrapped: Wrapped
    @usableFromInline let exclusions: Set<String>

    /// - Parameters:
    ///   - wrapped: the nodes inside.
    ///   - exclusions: names of nodes whose events are dropped, in addition to those that the call's context excludes.
    public init(_ wrapped: Wrapped, excluding exclusions: Set<String> = []) {
        self.wrapped = wrapped
        self.exclusions = exclusions
    }

    // Inlinable, so that the compiler can specialize the nodes inside.
    @inlinable
    public func process(_ input: Wrapped.Input, _ context: ChainContext) async throws(Failure) -> Wrapped.Output {
        guard CallEvents.areHeard(context) else { return try await wrapped.process(input, context) }
        let events = CallEvents(context.loggingEvents(excluding: exclusions), node: name)
        do throws(Failure) {
            let output = try await wrapped.process(input, events.context)
            events.succeeded()
            return output
        } catch {
            events.failed(error)
            throw error
        }
    }
}

/// Logs the first and the last event of one call, timed from its creation.
@usableFromInline
struct CallEvents {
    @usableFromInline let context: ChainContext
    private let node: String
    private let start = ContinuousClock.now

    @usableFromInline
    init(_ context: ChainContext, node: String) {
        self.context = context
        self.node = node
    }

    /// Whether an event could be logged; if not, no time is spent on it.
    @usableFromInline
    static func areHeard(_ context: ChainContext) -> Bool { context.logger.logLevel <= .info }

    @usableFromInline
    func succeeded() {
        context.log(.debug, "request succeeded", node: node, ["took": "\(ContinuousClock.now - start)"])
    }

    @usableFromInline
    func failed(_ failure: Failure) {
        var details: Logger.Metadata = ["took": "\(ContinuousClock.now - start)"]
        details["failure"] = "\(failure.reason.name)"
        details["phase"] = "\(failure.phase.rawValue)"
        details["failed_node"] = failure.node.map { "\($0)" }
        details["url"] = failure.url.map { "\($0)" }
        details["detail"] = failure.detail.map { "\($0)" }
        context.log(.info, "request failed", node: node, details)
    }
}
