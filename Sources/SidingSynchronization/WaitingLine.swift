// SPDX-License-Identifier: Apache-2.0
/// Grants a limited number of values to callers, first come, first served: the turn of one, the slots of an origin, the
/// connections to a file.
///
/// A value that is given back goes to the first caller in line whose task is not cancelled; a cancelled caller leaves the
/// line at once.
package final class WaitingLine<Granted: Sendable>: Sendable {
    /// How a wait ends.
    package enum Ending: Sendable {
        /// The caller has the value, and must give it back.
        case granted(Granted)
        case cancelled, late
    }

    /// What a caller gets on arrival.
    package enum Arrival: Sendable {
        case granted(Granted)
        case waits(Place)
    }

    /// The place of one caller in line.
    package struct Place: Sendable {
        fileprivate let ending = Promise<Ending>()

        /// Ends the wait as late, unless it has ended already.
        package func giveUp() { ending.resolve(.late) }
    }

    private struct State {
        var free: [Granted]
        var waiting: [Promise<Ending>] = []
        /// What each caller gets without waiting, once the line is open.
        var unlimited: Granted?
    }

    private let state: Mutex<State>

    /// - Parameter values: those that can be granted at once; their number is the capacity.
    package init(_ values: [Granted]) {
        state = Mutex(State(free: values))
    }

    /// The number of waiting callers.
    package var count: Int { state.withLock { $0.waiting.count } }

    /// The number of free values.
    package var freeCount: Int { state.withLock { $0.free.count } }

    /// A free value; nil if there is none. The one given back last comes first.
    package func takeFree() -> Granted? { state.withLock { $0.unlimited ?? $0.free.popLast() } }

    /// Takes a free value, or a place in line to ``wait(at:)``.
    package func arrive() -> Arrival {
        state.withLock { state in
            if let value = state.unlimited ?? state.free.popLast() { return .granted(value) }
            let place = Place()
            state.waiting.append(place.ending)
            return .waits(place)
        }
    }

    /// Waits until a value is granted, the task is cancelled, or the place is given up.
    package func wait(at place: Place) async -> Ending {
        let ending = await place.ending.value(orWhenCancelled: .cancelled)
        if case .granted = ending { return ending }
        state.withLock { $0.waiting.removeAll { $0 === place.ending } }
        return ending
    }

    /// Gives a value to the next caller in line, or keeps it for one to come.
    package func give(_ value: Granted) {
        state.withLock { state in
            while !state.waiting.isEmpty {
                // A caller whose wait has ended cannot take the value.
                if state.waiting.removeFirst().resolve(.granted(value)) { return }
            }
            if state.unlimited == nil { state.free.append(value) }
        }
    }

    /// Grants `value` to everybody from now on, including waiting callers.
    package func open(granting value: Granted) {
        state.withLock { state in
            state.unlimited = value
            for place in state.waiting { place.resolve(.granted(value)) }
            state.waiting = []
        }
    }
}

/// A line that lets callers through one at a time.
extension WaitingLine<Void> {
    package convenience init() { self.init([()]) }

    /// Waits for the turn. Returns true if the caller has it and must call ``pass()``, false if its task was cancelled.
    package func take() async -> Bool {
        guard !Task.isCancelled else { return false }
        guard case .waits(let place) = arrive() else { return true }
        guard case .granted = await wait(at: place) else { return false }
        return true
    }

    /// Passes the turn to the next caller in line.
    package func pass() { give(()) }

    /// Lets everybody through from now on, including waiting callers.
    package func open() { open(granting: ()) }
}
