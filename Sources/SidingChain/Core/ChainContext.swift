// SPDX-License-Identifier: Apache-2.0
public import Logging
internal import SidingSynchronization

/// Per-call data that travels beside the value from step to step: request ID, logger, credential, handle.
///
/// A context is made per call and is never shared between calls.
public struct ChainContext: Sendable {
    /// Names the call in logs; unique within the process.
    public var requestID: String
    /// Receives the structured events of the call. Secrets are redacted before they get here.
    public var logger: Logger
    /// The node names whose events are left out of the log.
    public var logExclusions: Set<String>
    /// Whether the request may be sent twice without harm: its method is idempotent, or the origin honours its idempotency key.
    /// Nil means that the method decides (RFC 9110 §9.2.2).
    public var isResendable: Bool?
    /// Set by a ``LoggerNode``; without it the call logs no events.
    var eventOrder: EventOrder?
    /// The credential of this attempt; ``AccessSafeNode`` sets it before each attempt.
    public var credential: Credential?
    /// Whether the call belongs to a refresh. An ``AccessSafeNode`` lets it through, since it would wait for itself.
    package var isExemptFromAccessSafety = false
    /// The executor for tasks that nodes create for a call; `ChainConfiguratorNode` of `SidingNodes` sets it.
    package var executor: (any TaskExecutor)?
    /// What modules above this one keep for the call, by its type.
    private var values: [ObjectIdentifier: any Sendable] = [:]
    /// Cancels the call from outside and reports its progress; see ``AborterNode``.
    public var handle: CallHandle?

    /// A context for one call.
    ///
    /// - Parameters:
    ///   - requestID: names the call in logs.
    ///   - logger: silent by default: a library returns errors and does not log them.
    ///   - logExclusions: names of nodes that do not log.
    ///   - isResendable: whether the request may be sent twice; nil, the default, leaves it to the method.
    ///   - handle: ends the call and reports its progress; use a new one for each call.
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

    /// The value of `type` that a module above this one keeps for the call; nil for none.
    package subscript<Value: Sendable>(_ type: Value.Type) -> Value? {
        get { values[ObjectIdentifier(type)] as? Value }
        set { values[ObjectIdentifier(type)] = newValue }
    }
}

extension ChainContext {
    /// A context whose request ID is a counter within the process.
    ///
    /// - Parameter handle: ends the call and reports its progress; use a new one for each call.
    public init(handle: CallHandle? = nil) {
        self.init(requestID: "request \(Self.counter.add(1, ordering: .relaxed).newValue)", handle: handle)
    }

    private static let counter = Atomic<Int>(0)
}

extension ChainContext {
    /// The context of another request that a node makes within this call. The handle and ``isResendable`` belong to the
    /// original request, so they are dropped.
    package var forAnotherRequest: ChainContext {
        var context = withoutHandle
        context.isResendable = nil
        return context
    }

    /// This context without its handle, for a request that the handle must not control: a shared one, one of many, or a
    /// substitute.
    package var withoutHandle: ChainContext {
        var context = self
        context.handle = nil
        return context
    }
}

extension Logger {
    /// A logger that discards everything.
    public static let silent = Logger(label: "siding") { _ in SwiftLogNoOpLogHandler() }
}

extension ChainContext {
    /// Logs an event of the call. Costs nothing if the event is not logged: outside of a ``LoggerNode``, below the logger's
    /// level, or from an excluded node.
    ///
    /// - Parameters:
    ///   - level: the level of the event.
    ///   - message: the same for every event of its kind; variable parts go into `metadata`, without secrets.
    ///   - node: the name of the node that logs it.
    ///   - metadata: the variable parts.
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

    /// The same call with its events numbered and logged.
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
