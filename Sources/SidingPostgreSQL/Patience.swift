// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// How long to wait for a socket.
struct Patience {
    let deadline: ContinuousClock.Instant
    /// How much longer to wait once the task is cancelled; nil does not wait.
    var grace: Duration?

    init(_ limit: Duration, grace: Duration? = nil) {
        deadline = .now + limit
        self.grace = grace
    }

    enum Outcome {
        /// The events of poll(2) that came.
        case ready(Int16)
        case late, cancelled
    }

    /// Waits until a socket is ready, the deadline passes, or the task is cancelled, which must signal `wakeUp`.
    func wait(for events: Int32, of socket: Int32, _ wakeUp: WakeUp) -> Outcome {
        var deadline = deadline
        var isCancelled = false
        while true {
            if !isCancelled, Task.isCancelled {
                guard let grace else { return .cancelled }
                isCancelled = true
                deadline = min(deadline, .now + grace)
            }
            let rest = deadline - .now
            guard rest > .zero else { return isCancelled ? .cancelled : .late }
            var sockets = [
                pollfd(fd: socket, events: Int16(events), revents: 0),
                pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            // Interrupted by a signal, it starts again.
            guard poll(&sockets, 2, rest.positiveMilliseconds) > 0 else { continue }
            // First what may have come together with the answer: a signal is of this call or of one that has ended.
            if sockets[1].revents != 0 { wakeUp.clear() }
            if sockets[0].revents != 0, isCancelled || !Task.isCancelled { return .ready(sockets[0].revents) }
        }
    }
}
