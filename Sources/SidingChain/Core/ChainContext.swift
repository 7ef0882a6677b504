public import Logging
internal import SidingSynchronization

/// What one call carries from step to step beside its value: who asked, and where to log.
///
/// A context is made per call and is never shared between calls.
public struct ChainContext: Sendable {
    /// Names the call in logs; unique within the process.
    public var requestID: String
    /// Receives the structured events of the call. Secrets are redacted before they get here.
    public var logger: Logger
    /// The node names whose events are left out of the log.
    public var logExclusions: Set<String>
    /// Whether the request may go out twice without harm: its method is idempotent, or the origin honours its key. Nil
    /// leaves it to the method (RFC 9110 §9.2.2).
    public var isResendable: Bool?
    /// Set where a ``LoggerNode`` makes the call's events heard.
    var eventOrder: EventOrder?
    /// What the attempt says who asks with; ``AccessSafeNode`` sets it anew before each attempt.
    public var credential: Credential?
    /// Whether the call belongs to a refresh: an ``AccessSafeNode`` lets it through, as it would wait for itself.
    public var isExemptFromAccessSafety = false
    /// Which middlewares run for the call; all, unless said otherwise.
    public var middlewareFilter: MiddlewareFilter = .all
    /// Where the steps run, for the tasks that nodes make for a call; ``ChainConfiguratorNode`` sets it.
    var executor: (any TaskExecutor)?
    /// Ends the call from outside and tells its progress, where someone wants that; see ``AborterNode``.
    public var handle: CallHandle?

    /// A context for one call.
    ///
    /// - Parameters:
    ///   - requestID: names the call in logs.
    ///   - logger: silent by default: a library returns errors, it does not log them.
    ///   - logExclusions: names of nodes that do not log.
    ///   - isResendable: what is known beyond the method; nil, the default, where nothing is.
    ///   - handle: ends the call and tells its progress; a new one for each call.
    public init(
        requestID: String, logger: Logger = .silent, logExclusions: Set<String> = [], isResendable: Bool? = nil,
        handle: CallHandle? = nil
    ) {
        self.requestID = requestID
        self.logger = logger
        self.logExclusions = logExclusions
        self.isResendable = isResendable
        self.handle = handle
    }
}

extension ChainContext {
    /// The context of a request that a node makes on its own within this call: what the call's handle and its caller say of
    /// the call does not hold for it.
    var forAnotherRequest: ChainContext {
        var context = withoutHandle
        context.isResendable = nil
        return context
    }

    /// The context of a request that is not the handle's alone: a shared one, one of many, one that stands in for another.
    var withoutHandle: ChainContext {
        var context = self
        context.handle = nil
        return context
    }
}

extension Logger {
    /// A logger that keeps nothing.
    public static let silent = Logger(label: "siding") { _ in SwiftLogNoOpLogHandler() }
}

extension ChainContext {
    /// Tells the call's logger an event. Nothing is spent on it where nobody listens: outside of a ``LoggerNode``, below
    /// the logger's level, or where the node is excluded.
    ///
    /// - Parameters:
    ///   - message: the same for every event of its kind; what differs goes into `metadata`, without secrets.
    ///   - node: the name of the node that tells it.
    public func log(
        _ level: Logger.Level, _ message: Logger.Message, node: @autoclosure () -> String,
        _ metadata: @autoclosure () -> Logger.Metadata = [:]
    ) {
        guard let eventOrder, logger.logLevel <= level else { return }
        let node = node()
        guard !logExclusions.contains(node) else { return }
        var details = metadata()
        details["request"] = "\(requestID)"
        details["node"] = "\(node)"
        details["order"] = "\(eventOrder.next())"
        logger.log(level: level, message, metadata: details)
    }

    /// The same call, its events in order and heard.
    @usableFromInline
    func loggingEvents(excluding exclusions: Set<String>) -> ChainContext {
        var context = self
        if context.eventOrder == nil { context.eventOrder = EventOrder() }
        context.logExclusions.formUnion(exclusions)
        return context
    }
}

/// Numbers the events of one call, from 1.
final class EventOrder: Sendable {
    private let last = Atomic<Int>(0)

    func next() -> Int { last.add(1, ordering: .relaxed).newValue }
}
