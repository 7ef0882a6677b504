// SPDX-License-Identifier: Apache-2.0
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

    private struct Unread {
        var events: [Siding.Event] = []
        var missed = 0
        var isClosed = false
    }

    private let unread = Mutex(Unread())
    /// Fires when there is something to read, or the end.
    let signal = ChangeSignal()

    var isClosed: Bool { unread.withLock { $0.isClosed } }

    func add(_ event: Siding.Event) {
        unread.withLock { unread in
            guard !unread.isClosed else { return }
            unread.events.append(event)
            guard unread.events.count > Self.limit else { return }
            // Half of them at once, so that a reader that sleeps costs no copy per event.
            unread.missed += Self.limit / 2
            unread.events.removeFirst(Self.limit / 2)
        }
        signal.fire()
    }

    /// The next event; nil if there is none yet.
    func take() -> Siding.Event? {
        unread.withLock { unread in
            if unread.missed > 0 {
                defer { unread.missed = 0 }
                return .missed(unread.missed)
            }
            return unread.events.isEmpty ? nil : unread.events.removeFirst()
        }
    }

    func close() {
        unread.withLock { $0.isClosed = true }
        signal.fire()
    }
}
