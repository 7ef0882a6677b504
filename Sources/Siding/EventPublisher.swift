internal import SidingSynchronization

/// Hands events to the readers that exist, and waits for none of them.
final class EventPublisher: Sendable {
    private struct State {
        var readers: [WeakReader] = []
        var isClosed = false
    }

    private struct WeakReader {
        weak var buffer: EventBuffer?
    }

    private let state = Mutex(State())

    /// A new reader, of the events from now on.
    func makeBuffer() -> EventBuffer {
        let buffer = EventBuffer()
        let isClosed = state.withLock { state in
            state.readers.append(WeakReader(buffer: buffer))
            return state.isClosed
        }
        if isClosed { buffer.close() }
        return buffer
    }

    /// Whether anyone would get an event.
    var hasReaders: Bool { !readers().isEmpty }

    func publish(_ event: Siding.Event) {
        for reader in readers() { reader.add(event) }
    }

    /// Ends all sequences once their readers have read what is there.
    func close() {
        state.withLock { $0.isClosed = true }
        for reader in readers() { reader.close() }
    }

    private func readers() -> [EventBuffer] {
        state.withLock { state in
            state.readers.removeAll { $0.buffer == nil }
            return state.readers.compactMap(\.buffer)
        }
    }
}

/// The events that one reader has not read yet.
final class EventBuffer: Sendable {
    /// The most events that are kept; beyond it the oldest are dropped.
    static let limit = 1_000

    private struct State {
        var events: [Siding.Event] = []
        var missed = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    /// Fires when there is something to read, or the end.
    let signal = ChangeSignal()

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func add(_ event: Siding.Event) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.events.append(event)
            guard state.events.count > Self.limit else { return }
            // Half of them at once, so that a reader that sleeps costs no copy per event.
            state.missed += Self.limit / 2
            state.events.removeFirst(Self.limit / 2)
        }
        signal.fire()
    }

    /// The next event; nil if there is none yet.
    func take() -> Siding.Event? {
        state.withLock { state in
            if state.missed > 0 {
                defer { state.missed = 0 }
                return .missed(state.missed)
            }
            return state.events.isEmpty ? nil : state.events.removeFirst()
        }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        signal.fire()
    }
}
