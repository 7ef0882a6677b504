// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// Wakes callers that wait for a connection, as soon as the kernel reports a change of a link, an address or a route.
///
/// ```swift
/// let changes = NetworkChanges()
/// while !Task.isCancelled {
///     let mark = changes.mark                 // before the check, so that no change is missed
///     if connectivity.hasUsableRoute() { await drain() }
///     await changes.next(after: mark)
/// }
/// ```
/// Create it before the first check, once per process; any number of tasks may wait and iterate. Each receives all kinds of
/// changes since its last one, combined: nothing is queued for slow readers. If the kernel's messages are not available, no
/// changes are reported: see ``fault``.
///
/// The descriptor is closed when the last reference is released, including those of iterators and waiting calls.
public final class NetworkChanges: AsyncSequence, Sendable {
    /// The kinds of changes since the one before, combined.
    public typealias Element = NetworkChange
    /// A loop needs no `try`: if the watch fails, it waits on, and ``fault`` says why.
    public typealias Failure = Never

    /// A moment; wait for changes after it.
    public struct Mark: Sendable, Hashable {
        let count: UInt64
    }

    private let board: NetworkChangeBoard
    /// The watch ends with the last reference to it.
    private let watch: NetworkWatch?

    /// Starts watching the calling thread's network namespace.
    public convenience init() {
        self.init(socket: .rtnetlink)
    }

    init(socket: NetworkSocket) {
        let board = NetworkChangeBoard()
        self.board = board
        do throws(NetworkWatchFault) {
            watch = try NetworkWatch(socket, telling: board)
        } catch {
            watch = nil
            board.fail(error)
        }
    }

    /// Whether changes are reported; if not, poll at intervals.
    package var isWatching: Bool { fault == nil }

    /// Why changes are not, or no longer, reported.
    public var fault: NetworkWatchFault? { board.fault }

    /// Reports a change that the program knows of and the kernel does not, such as a modem or a tunnel that is up again. It
    /// wakes all who wait, as a change that the kernel reports does.
    public func announce(_ change: NetworkChange = .links) { board.tell(change) }

    /// The current moment.
    public var mark: Mark { Mark(count: board.signal.count) }

    /// Waits until something has changed after `mark`; nil if the task is cancelled first.
    ///
    /// Cancelling one wait does not affect others, so it can race against a timeout.
    @discardableResult
    public func next(after mark: Mark) async -> NetworkChange? {
        await board.signal.wait(past: mark.count)
        // A change before the cancellation is still returned; the next wait ends at once.
        let change = board.changes(since: mark.count)
        return change.isEmpty ? nil : change
    }

    /// Iterates from the start of the watch: changes since then are returned at once.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(changes: self) }

    /// Ends when its task is cancelled.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let changes: NetworkChanges
        private var seen = Mark(count: 0)

        fileprivate init(changes: NetworkChanges) {
            self.changes = changes
        }

        public mutating func next() async -> NetworkChange? { await next(isolation: #isolation) }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> NetworkChange? {
            guard !Task.isCancelled else { return nil }
            await changes.board.signal.wait(past: seen.count)
            guard !Task.isCancelled else { return nil }
            // Read before the kinds: a change in between is reported twice rather than never.
            let now = changes.mark
            defer { seen = now }
            return changes.board.changes(since: seen.count)
        }
    }
}
