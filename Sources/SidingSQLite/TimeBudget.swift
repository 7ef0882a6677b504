import CSQLite

/// Bounds the time that SQLite itself works on a statement; what the caller does with a row does not count.
final class TimeBudget {
    enum End {
        case timeLimit, cancelled
    }

    private var remaining: Duration
    private var deadline = ContinuousClock.now
    /// Why SQLite was told to stop; nil while there was no need.
    private(set) var end: End?

    init(_ limit: Duration) {
        remaining = limit
    }

    /// Has SQLite ask every so many virtual machine instructions. The budget must outlive the statements.
    func watch(_ connection: Connection) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(
            connection.handle, 1_000,
            { context in
                guard let context else { return 0 }
                return Unmanaged<TimeBudget>.fromOpaque(context).takeUnretainedValue().isSpent ? 1 : 0
            }, context)
    }

    func spend<T>(_ work: () -> T) -> T {
        deadline = ContinuousClock.now.advanced(by: remaining)
        defer { remaining = ContinuousClock.now.duration(to: deadline) }
        return work()
    }

    private var isSpent: Bool {
        if Task.isCancelled { end = .cancelled } else if ContinuousClock.now >= deadline { end = .timeLimit }
        return end != nil
    }
}
