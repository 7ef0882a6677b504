internal import Logging

/// Makes the events of a call heard: what the nodes within tell of it, and how it ends (time taken, failure).
///
/// Each event carries the request's name, the node and its place in the order of the call's events, so that calls that run
/// at once can be told apart. Messages are static and values are metadata; secrets were left out of what gets here. The
/// events of a node that the context or this chain excludes by name are left out.
public struct LoggerNode<Wrapped: Node>: WrapperNode {
    public let wrapped: Wrapped
    @usableFromInline let exclusions: Set<String>

    /// - Parameter exclusions: names of nodes whose events are left out, beside those that the call's context leaves out.
    public init(_ wrapped: Wrapped, excluding exclusions: Set<String> = []) {
        self.wrapped = wrapped
        self.exclusions = exclusions
    }

    /// Inlinable, so that a chain's nodes stay known to the compiler beneath this one.
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

/// The first and the last event of one call, timed from where this is made.
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

    /// Whether an event could reach anyone: else neither time nor text is spent on it.
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
