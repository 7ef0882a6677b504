internal import SidingSynchronization

/// Wakes those who wait for a connection, as soon as the kernel tells that a link, an address or a route changed.
///
/// ```swift
/// let changes = NetworkChanges()
/// while !Task.isCancelled {
///     let mark = changes.mark                 // taken before the look, so that no change falls between
///     if connectivity.hasUsableRoute() { await drain() }
///     await changes.next(after: mark)
/// }
/// ```
/// Made before the first look, one for a process; any number may wait, and iterate. Each is told all kinds of change since
/// it was told last, as one: nothing is queued for those who lag. Where the kernel's messages cannot be had, nothing is
/// ever told: ``isWatching`` says so, ``fault`` says why.
///
/// The descriptor is closed when the last reference goes, an iterator's and a waiting call's included.
public final class NetworkChanges: AsyncSequence, Sendable {
    public typealias Element = NetworkChange
    public typealias Failure = Never

    /// A moment; what changed after it can be waited for.
    public struct Mark: Sendable, Hashable {
        let count: UInt64
    }

    private let board: NetworkChangeBoard
    /// Ends with the last reference to it.
    private let watch: NetworkWatch?

    /// Begins to watch the calling thread's network namespace.
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

    /// Whether changes are told; who waits must else look by the clock.
    public var isWatching: Bool { fault == nil }

    /// Why changes are not, or no longer, told.
    public var fault: NetworkWatchFault? { board.fault }

    /// Now.
    public var mark: Mark { Mark(count: board.signal.count) }

    /// Waits until something has changed after `mark`; nil where the task is cancelled before.
    ///
    /// Cancelling one wait ends no other, so that it can race against a clock.
    @discardableResult
    public func next(after mark: Mark) async -> NetworkChange? {
        await board.signal.wait(past: mark.count)
        // A change that was there before the cancellation is told all the same; the next wait ends at once.
        let change = board.changes(since: mark.count)
        return change.isEmpty ? nil : change
    }

    /// Iterates from the beginning of the watch: what changed since then is told at once.
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
            // Taken before the kinds: what comes between is told twice rather than never.
            let now = changes.mark
            defer { seen = now }
            return changes.board.changes(since: seen.count)
        }
    }
}
