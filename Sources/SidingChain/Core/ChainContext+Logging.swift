public import Logging
internal import SidingSynchronization

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
